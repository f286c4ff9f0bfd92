import AttributionStore
import Foundation
import Testing

@Suite("Work in the background")
struct BackgroundWorkTests {
    /// Runs each job on a thread that the thread that enqueues it starts, as the pool of the system may.
    private final class ThreadStarter: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Thread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }.start()
        }
    }

    /// The nice value of the current thread.
    private static func niceness() -> Int32 {
        getpriority(0, 0)
    }

    @Test("Work has a lower priority; threads that are started for what awaits it have not")
    func priority() async throws {
        let task = Task(executorPreference: ThreadStarter()) {
            let before = Self.niceness()
            return [try await BackgroundWork.run { Self.niceness() } - before, Self.niceness() - before]
        }
        #expect(try await task.value == [BackgroundWork.niceness, 0])
    }

    @Test("A failure of the work is thrown")
    func failure() async {
        await #expect(throws: CancellationError.self) {
            try await BackgroundWork.run { throw CancellationError() }
        }
    }
}
