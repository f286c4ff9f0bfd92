import Attribution
import AttributionConsole
import AttributionReports
import AttributionStore
import Logging
import Synchronization

/// Reports that are counted until a test lets them end.
final class HeldReports: Sendable {
    private struct State {
        var isOpen = false
        var held: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())
    /// One element for each report that begins.
    let begun: AsyncStream<LedgerLimits>
    /// One element for each report whose task was cancelled.
    let cancelled: AsyncStream<Void>
    private let onBegin: AsyncStream<LedgerLimits>.Continuation
    private let onCancel: AsyncStream<Void>.Continuation

    init() {
        (begun, onBegin) = AsyncStream.makeStream()
        (cancelled, onCancel) = AsyncStream.makeStream()
    }

    /// Counts until ``open()``, or until the task is cancelled.
    func report(_ request: ReportRequest, _ limits: LedgerLimits) async throws -> Report {
        onBegin.yield(limits)
        let (held, continuation) = AsyncStream<Never>.makeStream()
        let isOpen = state.withLock { state in
            state.held.append(continuation)
            return state.isOpen
        }
        if !isOpen {
            for await _ in held {}
        }
        if Task.isCancelled {
            onCancel.yield()
            throw CancellationError()
        }
        return .empty(request)
    }

    /// Lets all end.
    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            return state.held
        }
        held.forEach { $0.finish() }
    }
}

extension ReportRoutes {
    struct Unasked: Error {}

    /// Routes of which only the one of reports without a name is asked.
    init(
        logger: Logger,
        report: @escaping @Sendable (ReportRequest, LedgerLimits) async throws -> Report
    ) {
        self.init(logger: logger, report: report) { _, _ in throw Unasked() }
    }
}

extension Report {
    /// A report of an empty store.
    static func empty(_ request: ReportRequest) -> Report {
        Report(
            request: request,
            answer: LedgerAnswer(
                rows: LedgerRows([]), totals: Counts(), deliveries: DeliveryCounts(),
                position: LedgerPosition(store: "65322e1f", last: 0, check: nil), recordedAtMilliseconds: nil),
            programVersion: nil)
    }
}
