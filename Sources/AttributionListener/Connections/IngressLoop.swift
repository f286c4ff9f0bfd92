import Logging
import NIOCore
import Platform
import Synchronization

/// What the connections of one event loop share: settings, counters, the sweep for passed deadlines.
///
/// One sweep over all connections replaces a timer for each request. Used on its event loop only.
final class IngressLoop {
    let eventLoop: any EventLoop
    let settings: IngressSettings
    let census: IngressCensus
    var metrics: IngressMetrics
    let mailbox: IngressMailbox
    let handler: IngressHandler
    /// How many requests their routes have not answered, those of closed connections included.
    var unansweredCount = 0
    /// The tasks that answer requests, by their connections.
    var tasks: [ObjectIdentifier: Task<Void, Never>] = [:]
    private var connections: [ObjectIdentifier: ConnectionHandler] = [:]
    private var sweep: RepeatedTask?
    private var isStopping = false
    private var capThrottle = LogThrottle(every: .seconds(10))
    private var proxyThrottle = LogThrottle(every: .seconds(10))
    private var unansweredThrottle = LogThrottle(every: .seconds(10))

    init(eventLoop: any EventLoop, settings: IngressSettings, census: IngressCensus) {
        self.eventLoop = eventLoop
        self.settings = settings
        self.census = census
        self.metrics = IngressMetrics(
            names: settings.metricNames, hasCallers: settings.routes.haveCallers, factory: settings.metricsFactory)
        mailbox = IngressMailbox(eventLoop: eventLoop)
        handler = settings.makeHandler { delay, work in
            if delay > .zero {
                eventLoop.scheduleTask(in: TimeAmount(delay), work)
            } else {
                eventLoop.execute(work)
            }
        }
    }

    /// Starts checking deadlines.
    func start() {
        let interval = TimeAmount(settings.limits.sweepInterval)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        sweep = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            bound.value.checkDeadlines()
        }
    }

    /// Stops checking deadlines and taking answers.
    func end() {
        mailbox.close()
        sweep?.cancel()
        sweep = nil
    }

    /// Decides on a new connection, and counts and reports the decision.
    func admit(_ network: InternetAddress?) -> IngressAdmission {
        let admission = census.admit(network)
        metrics.countConnection(admission)
        if admission == .overTotalCap || admission == .overAddressCap { noteOverCap(admission) }
        return admission
    }

    /// Reports a connection that is closed because there are too many.
    func noteOverCap(_ admission: IngressAdmission) {
        settings.logger.log(
            level: .warning, "a connection was closed at once", throttle: &capThrottle, at: .now,
            metadata: ["reason": "\(admission.rawValue)"])
    }

    /// Reports a connection that is closed for its PROXY header, or because it has none.
    func noteProxyHeader(_ reason: String, _ peer: ConnectionPeer, hint: String) {
        settings.logger.log(
            level: .warning, "\(reason)", throttle: &proxyThrottle, at: .now,
            metadata: [
                "remote": "\(peer.address?.description ?? "unknown")", "hint": "\(hint)",
            ])
    }

    /// Reports a request that the handler did not answer in time; throttled, because a stuck store causes many.
    func noteUnanswered(_ request: RequestInFlight) {
        settings.logger.log(
            level: .warning, "a request was not answered in time", throttle: &unansweredThrottle, at: .now,
            metadata: ["route": "\(request.route?.path ?? "none")"])
    }

    func add(_ connection: ConnectionHandler) {
        connections[ObjectIdentifier(connection)] = connection
        if isStopping { connection.stop() }
    }

    func remove(_ connection: ConnectionHandler) {
        connections[ObjectIdentifier(connection)] = nil
    }

    /// Cancels the tasks that answer requests.
    func cancelTasks() -> [Task<Void, Never>] {
        for task in tasks.values { task.cancel() }
        return Array(tasks.values)
    }

    /// Closes idle connections and has the others close after their current request.
    func stop() {
        isStopping = true
        for connection in Array(connections.values) { connection.stop() }
    }

    /// Closes every connection, whatever it is doing.
    func cutOff() {
        for connection in Array(connections.values) { connection.end(.stopDeadline) }
    }

    /// Closes every connection from now on that waits for its client, unless the client takes its answers.
    func stopWaiting() {
        let now = NIODeadline.now()
        for connection in Array(connections.values) { connection.waitNoLonger(now) }
    }

    private func checkDeadlines() {
        let now = NIODeadline.now()
        for connection in Array(connections.values) { connection.checkDeadlines(now) }
    }
}

/// Takes answers from any thread to the event loop of their connections.
///
/// The first answer wakes the event loop, which finds later ones too. Answers given together wake it after the last of
/// them: woken by the first on a machine with few cores, it would find one answer and have to be woken for the next.
final class IngressMailbox: Sendable {
    /// An answer, its connection, and the number of the request on that connection.
    typealias Letter = (connection: NIOLoopBound<ConnectionHandler>, number: Int, answer: IngressAnswer)

    private struct State {
        var letters: [Letter] = []
        var isClosed = false
    }

    /// The mailboxes that received their first letter during one call of ``together(_:)``.
    private final class Round: Sendable {
        let mailboxes = Mutex<[IngressMailbox]>([])
    }

    @TaskLocal private static var round: Round?

    private let eventLoop: any EventLoop
    private let state = Mutex(State())

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Drops every answer from now on.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Takes an answer: delivers it at once on the event loop, soon from any other thread.
    func post(_ letter: Letter) {
        if eventLoop.inEventLoop { return letter.connection.value.take(letter.answer, number: letter.number) }
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.letters.append(letter)
            return state.letters.count == 1
        }
        guard isFirst else { return }
        if let round = Self.round {
            round.mailboxes.withLock { $0.append(self) }
        } else {
            scheduleVisit()
        }
    }

    /// Calls `body`, then wakes the event loop of each answer it gave, once each.
    static func together(_ body: () -> Void) {
        let round = Round()
        $round.withValue(round) { body() }
        for mailbox in round.mailboxes.withLock({ $0 }) { mailbox.scheduleVisit() }
    }

    private func scheduleVisit() {
        eventLoop.execute { self.empty() }
    }

    private func empty() {
        let letters = state.withLock { state in
            let letters = state.letters
            state.letters = []
            state.letters.reserveCapacity(letters.count)
            return letters
        }
        for letter in letters { letter.connection.value.take(letter.answer, number: letter.number) }
    }
}
