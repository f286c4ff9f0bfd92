/// Token buckets, one per key: a number of requests per second, with bursts of one second's worth.
///
/// Only the time at which a bucket is full again is stored, and only for buckets that are not full. Beyond the capacity
/// further keys share one bucket, so that memory is bounded.
package struct RateBounds<Key: Hashable & Sendable>: Sendable {
    private let interval: Duration
    private let burst = Duration.seconds(1)
    private let capacity: Int
    private var fullAgain: [Key: ContinuousClock.Instant] = [:]
    private var sharedFullAgain: ContinuousClock.Instant?
    private var nextSweep: ContinuousClock.Instant?

    /// Makes buckets, all full.
    ///
    /// - Parameters:
    ///   - perSecond: How many requests a second each key may make, at least 1.
    ///   - capacity: The maximum number of separate buckets.
    package init(perSecond: Int, capacity: Int) {
        interval = .seconds(1) / max(1, perSecond)
        self.capacity = capacity
    }

    /// How many buckets are stored.
    package var count: Int {
        fullAgain.count
    }

    /// Takes one request from a key's bucket.
    ///
    /// - Parameters:
    ///   - key: The key of the bucket.
    ///   - now: The current instant, which must not go backwards.
    /// - Returns: Nil when the request may proceed; otherwise how long to wait, with nothing taken.
    package mutating func take(_ key: Key, at now: ContinuousClock.Instant) -> Duration? {
        if fullAgain[key] == nil, fullAgain.count >= capacity {
            sweep(now)
            guard fullAgain.count < capacity else {
                return take(from: &sharedFullAgain, at: now)
            }
        }
        return take(from: &fullAgain[key], at: now)
    }

    private func take(from bucket: inout ContinuousClock.Instant?, at now: ContinuousClock.Instant) -> Duration? {
        let next = max(bucket ?? now, now) + interval
        let excess = next - now - burst
        guard excess <= .zero else {
            return excess
        }
        bucket = next
        return nil
    }

    /// Drops the buckets that are full again; at most once a second, because it visits all of them.
    private mutating func sweep(_ now: ContinuousClock.Instant) {
        guard nextSweep.map({ now >= $0 }) ?? true else {
            return
        }
        fullAgain = fullAgain.filter { $0.value > now }
        nextSweep = now + burst
    }
}
