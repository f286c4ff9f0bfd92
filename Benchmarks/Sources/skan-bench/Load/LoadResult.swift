/// What became of the requests of one phase.
struct LoadResult {
    /// Those that came due; in a closed loop, those sent.
    var offered = 0
    /// Answered 200, with the effect asked for.
    var succeeded = 0
    /// Answered 503.
    var refused = 0
    /// Closed without an answer, or never let in.
    var disconnected = 0
    /// Never sent, for all connections were waiting for an answer.
    var givenUp = 0
    /// Answered anything else, or not at all.
    var failed = 0
    var firstFailure: String?
    /// From the beginning to the last success.
    var seconds = 0.0
    /// The longest time, in seconds, without a success.
    var longestGap = 0.0
    var latencies = Latencies(nanoseconds: [])

    /// Some of the successful answers, as planned.
    var samples: [SampledAnswer] = []

    var perSecond: Double {
        seconds > 0 ? Double(succeeded) / seconds : 0
    }

    /// The requests of the pool that were used up.
    var used = 0
}
