import BoundedLogging
import CThread
import Logging
import NIOCore

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
    private var pending = PendingRequests()
    /// The tasks that answer pending requests, by the serial numbers of these.
    private var tasks: [UInt64: Task<Void, Never>] = [:]
    private var connections: [ObjectIdentifier: ConnectionHandler] = [:]
    private var sweep: RepeatedTask?
    private var isStopping = false
    private var capThrottle = LogThrottle(every: .seconds(10))
    private var displacementThrottle = LogThrottle(every: .seconds(10))
    private var unansweredThrottle = LogThrottle(every: .seconds(10))

    var limits: IngressLimits { settings.limits }
    var unansweredCount: Int { pending.count }

    init(eventLoop: any EventLoop, settings: IngressSettings, census: IngressCensus) {
        self.eventLoop = eventLoop
        self.settings = settings
        self.census = census
        self.metrics = IngressMetrics(
            names: settings.metricNames, hasCallers: settings.routes.haveCallers, factory: settings.metricsFactory)
        mailbox = IngressMailbox(eventLoop: eventLoop)
        handler = settings.makeHandler(IngressTurns(eventLoop))
    }

    /// Starts checking deadlines and taking answers.
    ///
    /// The thread is scheduled as batch work. Otherwise it would preempt a writer, or a loop that signs, for each request
    /// that arrives; with few cores it then reads one at a time, and the other's caches are cold when it goes on.
    func start() {
        thread_schedule_as_batch(false)
        let interval = TimeAmount(settings.limits.sweepInterval)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        mailbox.setOwner(bound)
        sweep = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            bound.value.checkDeadlines()
        }
    }

    /// Leaves most of a contended processor to other threads of the process.
    ///
    /// Not before the listener is open: threads that it starts would inherit that, such as those of tasks that wait for it.
    func giveWay() {
        thread_schedule_as_batch(true)
    }

    /// Stops checking deadlines and taking answers.
    func end() {
        mailbox.setOwner(nil)
        sweep?.cancel()
        sweep = nil
    }

    /// Decides on a new connection, and counts and reports the decision.
    ///
    /// - Parameter network: The client to count it for.
    /// - Returns: Whether it may stay.
    func admit(_ network: InternetAddress?) -> IngressAdmission {
        var admission = census.admit(network)
        if limits.probeConnections > 0 { makeRoom(network, &admission) }
        metrics.countConnection(admission)
        if admission == .overTotalCap || admission == .overAddressCap {
            settings.logger.log(
                level: .warning, "a connection was closed at once", throttle: &capThrottle, at: .now,
                metadata: ["reason": "\(admission.rawValue)"])
        }
        return admission
    }

    /// Admits a connection over a bound in the place of another one, or as one for probes.
    private func makeRoom(_ network: InternetAddress?, _ admission: inout IngressAdmission) {
        if admission == .overAddressCap, displace({ !$0.isReserved && $0.peer.network == network }) {
            admission = census.admit(network)
        }
        if admission == .overTotalCap, displace({ !$0.isReserved }) {
            admission = census.admit(network)
        }
        guard admission == .overAddressCap || admission == .overTotalCap else { return }
        if census.admitReserved() || (displace(\.isReserved) && census.admitReserved()) {
            admission = .reserved
        }
    }

    /// Closes the candidate that gives way first.
    ///
    /// - Returns: Whether there was one.
    private func displace(_ isCandidate: (ConnectionHandler) -> Bool) -> Bool {
        var first: (connection: ConnectionHandler, rank: ConnectionStateMachine.Rank, since: NIODeadline)?
        for connection in connections.values where isCandidate(connection) {
            guard let (rank, since) = connection.rank else { continue }
            if let first, (first.rank, first.since) <= (rank, since) { continue }
            first = (connection, rank, since)
        }
        guard let first else { return false }
        settings.logger.log(
            level: .warning, "a connection was closed to make room for a new one", throttle: &displacementThrottle,
            at: .now, metadata: ["connections": "\(connections.count)"])
        first.connection.end(.displaced)
        return true
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

    /// Expects an answer for a connection.
    ///
    /// - Parameters:
    ///   - connection: The connection that takes it.
    ///   - number: The number of the request on the connection.
    ///   - share: Whose share the request counts toward until it is answered.
    /// - Returns: The serial number under which it is to be posted.
    func expectAnswer(for connection: ConnectionHandler, number: Int, share: ClientShares.Holder?) -> UInt64 {
        pending.add(PendingRequests.Entry(connection: connection, number: number, share: share))
    }

    /// Answers a pending request in a task.
    ///
    /// - Parameters:
    ///   - serial: The serial number of the request.
    ///   - respond: Makes the answer.
    /// - Returns: The task.
    func answer(_ serial: UInt64, _ respond: @escaping @Sendable () async -> IngressAnswer) -> Task<Void, Never> {
        let task = Task { [mailbox] in mailbox.post(await respond(), serial: serial) }
        tasks[serial] = task
        return task
    }

    /// Cancels the tasks that answer requests.
    ///
    /// - Returns: Those that have not ended.
    func cancelTasks() -> [Task<Void, Never>] {
        for task in tasks.values { task.cancel() }
        return Array(tasks.values)
    }

    /// Hands the route's answer to its connection; a second one is dropped.
    func deliver(_ letter: IngressMailbox.Letter) {
        guard let entry = pending.remove(letter.serial) else { return }
        if !tasks.isEmpty { tasks[letter.serial] = nil }
        if let share = entry.share { census.shares.giveBack(share) }
        entry.connection.take(letter.answer, number: entry.number)
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
