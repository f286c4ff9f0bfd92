/// A delivery of a scenario at its time.
package struct TimedDelivery: Sendable {
    /// When it reaches the server, in milliseconds since the scenario began.
    package let time: Int64
    /// What is sent, how, and what must be answered.
    package let delivery: PlannedDelivery
    /// The postback, when this is its first delivery; nil for every further copy and forgery.
    let genuine: SimulatedPostback?
    /// When the first delivery of the same postback was.
    let firstAt: Int64
    /// Whether Apple's development key signed it.
    let isDevelopment: Bool

    init(
        time: Int64,
        _ delivery: PlannedDelivery,
        genuine: SimulatedPostback? = nil,
        firstAt: Int64,
        isDevelopment: Bool = false
    ) {
        self.time = time
        self.delivery = delivery
        self.genuine = genuine
        self.firstAt = firstAt
        self.isDevelopment = isDevelopment
    }
}
