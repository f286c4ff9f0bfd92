/// What is asked of a server: the requests, the listener that takes them, and the words of an answer that did as asked.
struct Workload {
    let pool: RequestPool
    let listener: Server.Listener
    /// What an answer with status 200 holds when the request had its effect.
    let success: String

    /// Postbacks to be recorded.
    static func postbacks(_ pool: RequestPool) -> Workload {
        Workload(pool: pool, listener: .ingress, success: #""status":"recorded""#)
    }

    /// Postbacks that were recorded before.
    static func duplicates(_ pool: RequestPool) -> Workload {
        Workload(pool: pool, listener: .ingress, success: #""status":"duplicate""#)
    }

    /// Postbacks that contradict a recorded one.
    static func conflicts(_ pool: RequestPool) -> Workload {
        Workload(pool: pool, listener: .ingress, success: #""status":"conflict""#)
    }

    /// Bodies that are no genuine postbacks.
    static func quarantined(_ pool: RequestPool) -> Workload {
        Workload(pool: pool, listener: .ingress, success: #""status":"quarantined""#)
    }

    /// Impressions to be signed.
    static func signing(_ pool: RequestPool) -> Workload {
        Workload(pool: pool, listener: .signing, success: #""status":"signed""#)
    }

    /// Taps on web ads, to be answered with a payload.
    static func taps(_ pool: RequestPool) -> Workload {
        Workload(pool: pool, listener: .ingress, success: #""signature":""#)
    }
}
