import AttributionStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Work in the background", .serialized, .timeLimit(.minutes(5)))
struct BackgroundWorkTests {
    /// Runs each job on a thread that whoever enqueues it starts, as the pool of the system may.
    private final class ThreadStarter: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Thread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }.start()
        }
    }

    @Test("Work is scheduled as batch work; threads that are started for what awaits it are not")
    func policies() async throws {
        let task = Task(executorPreference: ThreadStarter()) {
            [try await BackgroundWork.run { sched_getscheduler(0) }, sched_getscheduler(0)]
        }
        // SCHED_BATCH and SCHED_OTHER.
        #expect(try await task.value == [3, 0])
    }

    /// Keeps all processors busy until the end of its body, or of a minute.
    private static func beside<Result>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> (Result, isInTime: Bool) {
        let end = Flag()
        let deadline = ContinuousClock.now + .seconds(60)
        return try await withThrowingTaskGroup { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    try await blocking { while !end.isSet.load(ordering: .relaxed), ContinuousClock.now < deadline {} }
                }
            }
            defer { end.isSet.store(true, ordering: .relaxed) }
            return (try await body(), ContinuousClock.now < deadline)
        }
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// What a thread or process has used of the processors, in seconds.
    private static func time(_ clock: clockid_t = CLOCK_THREAD_CPUTIME_ID) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("Work gets on while all processors are busy")
    func busy() async throws {
        let (_, isInTime) = try await Self.beside {
            try await BackgroundWork.run { while Self.time() < 0.2 {} }
        }
        #expect(isInTime)
    }

    @Test("Work in turns takes a part of what the rest of its process leaves")
    func share() async throws {
        // A thread that is scheduled as usual, which otherwise has its full share.
        let ((own, process, wall), _) = try await Self.beside {
            try await blocking {
                Turns.take {
                    // The rest of the process is first measured after some turns.
                    let first = Self.time()
                    while Self.time() < first + 0.05 {}
                    let (own, process) = (Self.time(), Self.time(CLOCK_PROCESS_CPUTIME_ID))
                    let start = ContinuousClock.now
                    while Self.time() < own + 0.1 {}
                    return (
                        Self.time() - own, Self.time(CLOCK_PROCESS_CPUTIME_ID) - process,
                        (ContinuousClock.now - start) / .seconds(1)
                    )
                }
            }
        }
        // Where other processes leave this one its processors: with them the rest of it would leave more.
        if (process - own) / wall > Double(Turns.processors) - 0.5 {
            #expect(own / wall < 0.3)
        }
    }

    @Test("A failure of the work is thrown")
    func failure() async {
        await #expect(throws: CancellationError.self) {
            try await BackgroundWork.run { throw CancellationError() }
        }
    }

    /// How often the current thread has gone to sleep.
    private static func sleeps() -> Int {
        var usage = rusage()
        // RUSAGE_THREAD of <sys/resource.h>, which Swift does not import.
        getrusage(1, &usage)
        return usage.ru_nvcsw
    }

    @Test("Work in turns sleeps after each, whatever it does, and finds errno as it was")
    func turns() {
        let sleeps = Turns.take {
            let before = Self.sleeps()
            let end = Self.time() + 0.05
            errno = 7
            while Self.time() < end {}
            #expect(errno == 7)
            return Self.sleeps() - before
        }
        // Of a hundred turns; the system may make the thread wait for something else instead.
        #expect(sleeps > 30)
        let before = Self.sleeps()
        let end = ContinuousClock.now + .milliseconds(100)
        while ContinuousClock.now < end {}
        // At least twenty-five if the timer went on; the system may make it wait for a page.
        #expect(Self.sleeps() < before + 10)
    }
}
