import NIOCore

/// The deadlines of ``IngressLimits`` as `TimeAmount`, converted once.
struct ConnectionDeadlines {
    let head: TimeAmount
    let request: TimeAmount
    let answer: TimeAmount
    let idle: TimeAmount
    let write: TimeAmount
    let linger: TimeAmount
    let stopPause: TimeAmount

    init(_ limits: IngressLimits) {
        head = TimeAmount(limits.headDeadline)
        request = TimeAmount(limits.requestDeadline)
        answer = TimeAmount(limits.answerDeadline)
        idle = TimeAmount(limits.idleDeadline)
        write = TimeAmount(limits.writeDeadline)
        linger = TimeAmount(limits.lingerDeadline)
        stopPause = TimeAmount(limits.stopPause)
    }
}
