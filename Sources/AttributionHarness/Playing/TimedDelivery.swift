import Attribution

/// A delivery of a scenario at its time.
package struct TimedDelivery: Sendable {
    /// When it reaches the server, in milliseconds since the scenario began.
    package let time: Int64
    /// What is sent, where to, how, and what must be answered.
    package let delivery: PlannedDelivery
    /// What it is among the deliveries of its postback.
    let part: Part
    /// When the first delivery of the same postback was.
    let firstAt: Int64

    /// What a delivery is among those of one postback.
    enum Part: Sendable {
        /// The first one, which is recorded.
        case first(SimulatedPostback)
        /// The first one for the other recipient.
        case otherRecipient
        /// A further copy or a forgery.
        case further
        /// What Apple's development key signed.
        case development
    }

    init(time: Int64, _ delivery: PlannedDelivery, _ part: Part, firstAt: Int64) {
        self.time = time
        self.delivery = delivery
        self.part = part
        self.firstAt = firstAt
    }
}
