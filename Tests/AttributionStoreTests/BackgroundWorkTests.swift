import AttributionStore
import Foundation
import Testing

@Suite("Work in the background")
struct BackgroundWorkTests {
    @Test("Work yields to all other threads; what waits for its end does not, nor what that starts")
    func policies() async {
        let policies = await withCheckedContinuation { (policies: CheckedContinuation<[CInt?], Never>) in
            BackgroundWork.run {
                sched_getscheduler(0)
            } then: { work in
                policies.resume(returning: [try? work.get(), sched_getscheduler(0)])
            }
        }
        // SCHED_IDLE, and whatever the tests have.
        #expect(policies.first == 5)
        #expect(policies.last != 5)
    }

    /// Runs each job on a thread that whoever enqueues it starts, as the pool of the system may.
    private final class ThreadStarter: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Thread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }.start()
        }
    }

    @Test("Threads that are started for what awaits the work do not yield")
    func awaited() async throws {
        let task = Task(executorPreference: ThreadStarter()) {
            [try await BackgroundWork.run { sched_getscheduler(0) }, sched_getscheduler(0)]
        }
        let policies = try await task.value
        #expect(policies.first == 5)
        #expect(policies.last != 5)
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
            let end = ContinuousClock.now + .milliseconds(50)
            errno = 7
            while ContinuousClock.now < end {}
            #expect(errno == 7)
            return Self.sleeps() - before
        }
        // Of a hundred turns; a busy machine gives the thread fewer.
        #expect(sleeps > 3)
        let before = Self.sleeps()
        let end = ContinuousClock.now + .milliseconds(20)
        while ContinuousClock.now < end {}
        // Forty if the timer went on; the system may make it wait for a page.
        #expect(Self.sleeps() < before + 10)
    }
}
