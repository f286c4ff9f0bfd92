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
}
