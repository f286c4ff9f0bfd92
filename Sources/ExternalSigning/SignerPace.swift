/// How fast an external signer signs with one key, and so how much of it the signer can usefully have at once.
///
/// What a slow signer has beyond that would all be answered too late, however much it signs.
struct SignerPace {
    private let time: Duration
    private let maximum: Int
    /// How many requests the signer may have at once.
    private(set) var inFlight: Int
    /// How many answers have come that show how fast it is.
    private(set) var answered = 0
    /// How long the signer had what it answered last, other than what was overtaken.
    private var turnaround = Duration.zero
    /// The latest request that was answered quickly.
    private var latestQuick: Int64 = 0
    /// How many answers have come quickly, though it had as much as it may, since the bound last grew.
    private var quick = 0

    /// Makes the pace of a signer that has not been late yet.
    ///
    /// - Parameters:
    ///   - time: How long a request may take, waiting included.
    ///   - maximum: How much the signer may have at once however fast it is.
    init(time: Duration, maximum: Int) {
        self.time = time
        self.maximum = maximum
        inFlight = maximum
    }

    /// Notes an answer.
    ///
    /// - Parameters:
    ///   - id: The request; later ones have greater ids.
    ///   - turnaround: How long the signer had the request.
    ///   - answeredBefore: How many answers had come when it was sent.
    ///   - wasFull: Whether the signer had as much as it may.
    ///   - isSigned: Whether it is a signature, not a refusal.
    mutating func note(
        _ id: Int64, after turnaround: Duration, answeredBefore: Int, wasFull: Bool, isSigned: Bool
    ) {
        // A quick refusal does not show how fast it signs.
        guard isSigned || turnaround >= time else { return }
        answered += 1
        let isQuick = turnaround <= time / 2
        if isQuick { latestQuick = max(latestQuick, id) }
        // What later requests overtook did not wait for others, and does not show how much the signer can do.
        if turnaround >= time, id < latestQuick { return }
        self.turnaround = turnaround
        if turnaround >= time {
            // Half of what it answers in the time, so that the other half is left for waiting and for slower answers.
            let inTime = Double(answered - answeredBefore) * (time / turnaround)
            inFlight = max(1, min(inFlight, Int(inTime / 2)))
            quick = 0
        } else if wasFull, isQuick, inFlight < maximum {
            quick += 1
            if quick >= inFlight {
                inFlight += 1
                quick = 0
            }
        }
    }

    /// Whether a request that has waited so long can still be answered in its time.
    ///
    /// The oldest is sent first. Were it sent while there is just enough time, most of a queue would be answered just
    /// too late.
    func leavesTime(after waited: Duration) -> Bool {
        waited * 2 + turnaround < time
    }
}
