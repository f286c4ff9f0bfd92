/// Token buckets, one a key: so many requests a second each, and one second's worth of them at once.
///
/// Only the moment at which a bucket is full again is kept, and only of buckets that are not; when there are too many
/// of those, further keys share one bucket, so that memory is bounded whatever strangers do.
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
    ///   - capacity: How many buckets are told apart.
    package init(perSecond: Int, capacity: Int) {
        interval = .seconds(1) / max(1, perSecond)
        self.capacity = capacity
    }

    /// How many buckets are kept.
    package var count: Int {
        fullAgain.count
    }

    /// Takes one request from a key's bucket.
    ///
    /// - Parameters:
    ///   - key: Whose bucket.
    ///   - now: The present; never before an earlier one.
    /// - Returns: Nil when it may go on; else how long until the next one may, and nothing was taken.
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

    /// Forgets the buckets that are full again; at most once a second, for it looks at all.
    private mutating func sweep(_ now: ContinuousClock.Instant) {
        guard nextSweep.map({ now >= $0 }) ?? true else {
            return
        }
        fullAgain = fullAgain.filter { $0.value > now }
        nextSweep = now + burst
    }
}
