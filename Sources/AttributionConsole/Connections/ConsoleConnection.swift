import AttributionListener
import NIOCore
import NIOHTTP1
import TLS

/// One connection of the console; used on its event loop only.
final class ConsoleConnection {
    let channel: any Channel
    /// The client it is counted for, if any.
    let network: InternetAddress?
    /// Whether it is one of those reserved for probes.
    let isReserved: Bool
    private let connections: ConsoleConnections
    private(set) var progress: ConsoleProgress
    /// Passes on a refusal in place of a request.
    var refuse: ((ConsoleFault) -> Void)?

    private var headBytes = 0
    private var lingeredBytes = 0
    /// Since when the client has been behind, and how many bytes were unsent then.
    private var backlog: (since: NIODeadline, bytes: Int)?
    private var isSendingLast = false

    init(_ channel: any Channel, network: InternetAddress?, isReserved: Bool, in connections: ConsoleConnections) {
        self.channel = channel
        self.network = network
        self.isReserved = isReserved
        self.connections = connections
        progress = ConsoleProgress(at: .now())
    }

    private var limits: ConsoleLimits { connections.limits }

    // MARK: Input

    /// Notes that bytes arrived.
    ///
    /// - Returns: Whether they are to be read.
    func receive(_ count: Int) -> Bool {
        guard progress.input != .none else {
            lingeredBytes += count
            if lingeredBytes > limits.lingerBytes { end("linger-bound") }
            return false
        }
        headBytes = progress.input == .body ? 0 : headBytes + count
        progress.receive(at: .now())
        return true
    }

    /// Notes that the bytes were read, and refuses an incomplete head that is too large.
    func didRead() {
        if progress.input == .head, headBytes > limits.headBytes { refuse?(.headTooLarge) }
    }

    /// Notes a head.
    ///
    /// - Returns: What is wrong with it.
    func receive(_ head: HTTPRequestHead) -> ConsoleFault? {
        headBytes = 0
        let route = connections.route(of: head.uri)
        if let fault = ConsoleFault(of: head, isOpen: route == .open) { return fault }
        if isReserved, route == .other { return .tooManyConnections }
        progress.receiveHead(at: .now())
        return nil
    }

    /// Notes the end of a body.
    func receiveEnd() {
        progress.receiveEnd(at: .now())
    }

    /// Notes a request that is refused, after which nothing more is read.
    func receive(_ fault: ConsoleFault) {
        connections.count(fault)
        progress.receiveHead(at: .now())
        progress.endInput()
    }

    /// Takes no request after the one being answered.
    func endInput() {
        progress.endInput()
    }

    // MARK: Output

    /// Notes that an answer was handed to the channel.
    func answer() {
        progress.answer(at: .now())
    }

    /// Notes that the last answer was handed to the channel.
    func sendLast() {
        isSendingLast = true
        if backlog == nil { backlog = (.now(), unsent) }
    }

    /// Notes that the client has the last answer, as far as can be known.
    func didSendLast() {
        isSendingLast = false
        backlog = nil
        progress.close(at: .now())
    }

    /// Notes whether the client takes its answers.
    func didChangeWritability() {
        if channel.isWritable {
            if !isSendingLast { backlog = nil }
        } else if backlog == nil {
            backlog = (.now(), unsent)
        }
    }

    private var unsent: Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    // MARK: The end

    /// Ends the connection if the client has missed a deadline.
    func checkDeadlines(at now: NIODeadline) {
        if let backlog, backlog.since + connections.deadline(limits.writeDeadline) <= now {
            let unsent = unsent
            guard unsent + limits.outboundBytes <= backlog.bytes else { return end("write-deadline") }
            self.backlog = (now, unsent)
        }
        let deadline: Duration
        switch progress.wait {
        case .head: deadline = limits.headDeadline
        case .request: deadline = limits.requestDeadline
        case .idle: deadline = limits.idleDeadline
        case .linger: deadline = limits.lingerDeadline
        case nil: return
        }
        if progress.since + connections.deadline(deadline) <= now { end(progress.wait?.rawValue) }
    }

    /// Whether the client has to do something before the connection can end.
    ///
    /// Not while one complete request is being answered; of several, the client sent those that follow without waiting.
    var isClientAwaited: Bool {
        progress.wait != nil || progress.unanswered != 1 || backlog != nil
    }

    /// Closes the connection now, without the closing handshake of TLS, which would wait for the client.
    ///
    /// - Parameter reason: The label it is counted under.
    func end(bypassingTLS reason: String) {
        connections.countEnd(reason)
        connections.remove(self)
        if let tls = try? channel.pipeline.syncOperations.context(handlerType: TLSHandler.self) {
            tls.close(promise: nil)
        } else {
            channel.close(promise: nil)
        }
    }

    /// Closes the connection now.
    ///
    /// - Parameter reason: The label it is counted under; nil not to count it.
    func end(_ reason: String?) {
        if let reason { connections.countEnd(reason) }
        connections.remove(self)
        channel.close(promise: nil)
    }
}
