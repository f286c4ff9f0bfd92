/// One phase of sending.
struct LoadPlan {
    /// What decides when the next request is sent.
    enum Arrivals {
        /// Each connection sends its next request upon its last answer.
        case onAnswer
        /// So many a second at fixed times, whether answers come or not; one that finds no free connection waits, and
        /// its time counts from when it was due.
        case paced(perSecond: Double)
        /// So many a second, as from many devices: one that finds no free connection opens another, and is given up
        /// when all are taken. Bodies that were turned away are offered again.
        case flood(perSecond: Double)
    }

    var arrivals = Arrivals.onAnswer
    var connections = 64
    var seconds: Double
    /// No more than this many requests.
    var limit = Int.max
    /// One of so many successful answers is kept; nil keeps none.
    var sampleInterval: Int?
}
