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

    @Test("A failure of the work is thrown")
    func failure() async {
        await #expect(throws: CancellationError.self) {
            try await BackgroundWork.run { throw CancellationError() }
        }
    }
}
