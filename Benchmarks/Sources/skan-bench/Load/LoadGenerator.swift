import CLinux
import Glibc

/// Sends requests over many connections from one thread: one epoll set, prebuilt bytes, no work an answer does not need.
final class LoadGenerator {
    private let plan: LoadPlan
    private let pool: RequestPool
    private let success: String
    private let first: Int
    private let port: UInt16
    private let epoll: Int32
    private var connections: [LoadConnection]
    private let answers: UnsafeMutableRawBufferPointer
    /// Places of connections that wait for a request, and of those that are closed.
    private var idle: [Int] = []
    private var closed: [Int]
    private var underWay = 0
    /// Requests that came due and wait for a connection, by the time they were due.
    private var due = DueTimes()
    /// Requests that were turned away, to be offered again.
    private var turnedAway: [Int] = []
    private var next: Int
    private let last: Int
    private var result = LoadResult()
    private var start: UInt64 = 0
    private var stop: UInt64 = 0
    private var events = [epoll_event](repeating: epoll_event(), count: 512)
    private var times: [Int64] = []
    private var lastSuccess: UInt64 = 0

    private static let answerSize = 4096
    /// One source address each for so many connections.
    private static let connectionsPerAddress = 128

    /// Prepares a phase that uses the requests of a pool from `first` on.
    init(_ plan: LoadPlan, _ workload: Workload, from first: Int, port: Int) throws {
        self.plan = plan
        pool = workload.pool
        success = workload.success
        self.first = first
        self.port = UInt16(port)
        next = first
        last = first + min(plan.limit, pool.count - first)
        epoll = epoll_create1(0)
        guard epoll >= 0 else {
            throw BenchmarkFailure("epoll: \(String(cString: strerror(errno)))")
        }
        connections = Array(repeating: LoadConnection(), count: plan.connections)
        closed = Array((0..<plan.connections).reversed())
        answers = .allocate(byteCount: plan.connections * Self.answerSize, alignment: 16)
        times.reserveCapacity(last - first)
    }

    deinit {
        for connection in connections {
            connection.socket?.close()
        }
        close(epoll)
        answers.deallocate()
    }

    /// Sends as planned on the load's core, and returns when everything was answered.
    func run() -> LoadResult {
        Self.run([self])[0]
    }

    /// Has several send at the same time, in turns of one thread: two threads on one core would wait for each other.
    static func run(_ generators: [LoadGenerator]) -> [LoadResult] {
        Core.pinned(to: Core.load) {
            for generator in generators { generator.begin() }
            var sending = generators
            while !sending.isEmpty {
                let waits = sending.count == 1
                sending.removeAll { !$0.send(waits: waits) }
            }
        }
        return generators.map { $0.end() }
    }

    private func begin() {
        start = Self.now()
        stop = start + UInt64(plan.seconds * 1e9)
        lastSuccess = start
    }

    /// Sends what is due and takes what has come; says whether more will be.
    private func send(waits: Bool) -> Bool {
        let now = Self.now()
        let isOver = offer(start: start, now: min(now, stop)) || now >= stop
        if isOver, underWay == 0, due.isEmpty || !canOffer {
            return false
        }
        // A server that stopped answering must not stop the benchmark.
        guard now < stop + 15_000_000_000 else {
            abandon()
            return false
        }
        // It does not sleep during a phase: on a virtual machine a third of what an answer cost the server to send was
        // waking this core.
        let count = epoll_wait(epoll, &events, Int32(events.count), waits && isOver ? 100 : 0)
        for event in events.prefix(Int(max(0, count))) {
            handle(Int(event.data.u64))
        }
        return true
    }

    private func end() -> LoadResult {
        result.seconds = Double(lastSuccess - start) / 1e9
        result.latencies = Latencies(nanoseconds: times)
        result.used = next - first
        return result
    }

    /// Counts what is under way after the end.
    ///
    /// A system whose queue of connections is full lets a client believe that it is connected; what the other side never
    /// acknowledged was never let in.
    private func abandon() {
        for connection in connections where connection.state == .connecting || connection.state == .waiting {
            if connection.state == .connecting || connection.socket?.isUnacknowledged == true {
                result.disconnected += 1
            } else {
                result.failed += 1
                let age = Double(Self.now() - connection.since) / 1e9
                result.firstFailure =
                    result.firstFailure
                        ?? """
                        none, \(age.shown) s after a request that the other side's system took, number \
                        \(connection.served + 1) of its connection (\(connection.socket?.stateText ?? "closed"))
                        """
            }
        }
    }

    // MARK: Offering

    private var canOffer: Bool {
        next < last || !turnedAway.isEmpty
    }

    /// Sends what may be sent by now; says whether there is nothing left.
    private func offer(start: UInt64, now: UInt64) -> Bool {
        switch plan.arrivals {
        case .onAnswer:
            while now < start + UInt64(plan.seconds * 1e9), canOffer, let place = freePlace() {
                result.offered += 1
                dispatch(place, since: Self.now())
            }
        case .paced(let rate):
            while let time = dueTime(start: start, now: now, rate: rate), result.offered < last - first {
                result.offered += 1
                due.append(time)
            }
            while canOffer, !due.isEmpty, let place = freePlace() {
                dispatch(place, since: due.removeFirst())
            }
        case .flood(let rate):
            while let time = dueTime(start: start, now: now, rate: rate), canOffer {
                result.offered += 1
                if let place = freePlace() {
                    dispatch(place, since: time)
                } else {
                    result.givenUp += 1
                }
            }
        }
        return !canOffer
    }

    /// When the next request is due, if that is not after `now`.
    private func dueTime(start: UInt64, now: UInt64, rate: Double) -> UInt64? {
        let time = start + UInt64(Double(result.offered) * 1e9 / rate)
        return time < now ? time : nil
    }

    private func freePlace() -> Int? {
        idle.popLast() ?? closed.popLast()
    }

    private func dispatch(_ place: Int, since: UInt64) {
        let request: Int
        if let again = turnedAway.popLast() {
            request = again
        } else {
            request = next
            next += 1
        }
        underWay += 1
        connections[place].request = request
        connections[place].since = since
        if connections[place].state == .closed {
            open(place)
        } else {
            write(place)
        }
    }

    // MARK: Connections

    private func open(_ place: Int) {
        let source = place / Self.connectionsPerAddress
        connections[place].socket = LoadSocket(to: port, from: source, watchedBy: epoll, place: place)
        if connections[place].socket == nil {
            lose(place)
        } else {
            connections[place].state = .connecting
        }
    }

    private func write(_ place: Int) {
        connections[place].state = .waiting
        connections[place].received = 0
        let socket = connections[place].socket
        if !pool.withRequest(connections[place].request, { socket?.send($0) ?? false }) {
            lose(place)
        }
    }

    private func handle(_ place: Int) {
        switch connections[place].state {
        case .closed:
            break
        case .connecting:
            if connections[place].socket?.isConnected == true {
                write(place)
                // The end may have come in the same event, and would not be reported again.
                if connections[place].state == .waiting {
                    read(place)
                }
            } else {
                lose(place)
            }
        case .idle, .waiting:
            read(place)
        }
    }

    private func read(_ place: Int) {
        let start = place * Self.answerSize
        let received = connections[place].received
        let room = UnsafeMutableRawBufferPointer(
            rebasing: answers[(start + received)..<(start + Self.answerSize)])
        guard let count = connections[place].socket?.read(into: room), count < room.count,
            count == 0 || connections[place].state == .waiting
        else {
            return lose(place)
        }
        connections[place].received += count
        let bytes = UnsafeRawBufferPointer(rebasing: answers[start..<(start + received + count)])
        if count > 0, let answer = LoadAnswer(bytes, success: success) {
            take(answer, bytes, place)
        }
    }

    private func take(_ answer: LoadAnswer, _ bytes: UnsafeRawBufferPointer, _ place: Int) {
        underWay -= 1
        if answer.isSuccess {
            result.succeeded += 1
            let now = Self.now()
            result.longestGap = max(result.longestGap, Double(now - lastSuccess) / 1e9)
            lastSuccess = now
            times.append(Int64(lastSuccess - connections[place].since))
            if let interval = plan.sampleInterval, result.succeeded % interval == 0 {
                result.samples.append(
                    SampledAnswer(request: connections[place].request, body: Array(answer.body)))
            }
        } else if answer.status == 503 {
            result.refused += 1
            turnedAway.append(connections[place].request)
        } else {
            result.failed += 1
            result.firstFailure = result.firstFailure ?? String(decoding: bytes, as: UTF8.self)
        }
        connections[place].state = .idle
        connections[place].received = 0
        connections[place].served += 1
        if answer.closes {
            shut(place)
        } else {
            idle.append(place)
        }
    }

    /// The connection ended or never began; its request, if any, has no answer.
    private func lose(_ place: Int) {
        switch connections[place].state {
        case .idle:
            idle.removeAll { $0 == place }
        case .waiting, .connecting, .closed:
            underWay -= 1
            result.disconnected += 1
            turnedAway.append(connections[place].request)
        }
        shut(place)
    }

    private func shut(_ place: Int) {
        connections[place].socket?.close()
        connections[place].socket = nil
        connections[place].state = .closed
        connections[place].served = 0
        closed.append(place)
    }

    /// Nanoseconds of a clock that nobody sets.
    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
