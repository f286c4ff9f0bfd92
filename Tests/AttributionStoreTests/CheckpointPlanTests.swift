import SQLiteStore
import Testing

/// What SQLite does with a log, without a disk.
private struct SimulatedLog {
    private var plan = CheckpointPlan()
    /// How many commits the second connection takes for 1,024 frames, and at least.
    let commitsPerPass: Int
    private var running: (frames: Int, commitsLeft: Int)?
    private var stored = 0
    private(set) var frames = 0
    /// The frames that a report reads.
    var readFrames: Int?
    private(set) var passCount = 0
    private(set) var resetCount = 0
    private(set) var longestWait = 0
    private(set) var longestLog = 0

    init(commitsPerPass: Int) {
        self.commitsPerPass = commitsPerPass
    }

    mutating func commit(_ pages: Int) {
        if let pass = running {
            running?.commitsLeft -= 1
            if pass.commitsLeft <= 1 {
                stored = max(stored, min(pass.frames, readFrames ?? .max))
                plan.didMoveInBackground(stored, of: pass.frames)
                running = nil
            }
        }
        if frames > 0, stored == frames, readFrames == nil {
            (frames, stored) = (0, 0)
            resetCount += 1
        }
        frames += pages
        longestLog = max(longestLog, frames)
        switch plan.didCommit(frames: frames) {
        case .nothing:
            break
        case .background:
            running = (frames, max(commitsPerPass, commitsPerPass * (frames - stored) / 1_024))
            passCount += 1
        case .writer:
            let moved = min(frames, readFrames ?? .max)
            longestWait = max(longestWait, moved - stored)
            stored = max(stored, moved)
            plan.didMoveInWriter()
        }
    }
}

@Suite("Whose turn it is to checkpoint the log")
struct CheckpointPlanTests {
    @Test("What a report held back is moved by the second connection", arguments: [1, 7, 40], [1, 3, 12])
    func heldBack(pages: Int, commitsPerPass: Int) {
        var log = SimulatedLog(commitsPerPass: commitsPerPass)
        for frames in [200, 700, 1_000] {
            // The report begins somewhere in the log, and ends much later.
            while log.frames < frames {
                log.commit(pages)
            }
            log.readFrames = log.frames
            let passCount = log.passCount
            while log.frames < 20_000 {
                log.commit(pages)
            }
            #expect(log.passCount - passCount <= 20_000 / CheckpointPlan.retryInterval, "it tries again and again")
            log.readFrames = nil
            let resetCount = log.resetCount
            for _ in 0..<(2_000 / pages + 40 * commitsPerPass) {
                log.commit(pages)
            }
            #expect(log.resetCount > resetCount, "the log is not begun again")
        }
        #expect(log.longestWait <= CheckpointPlan.writerLimit)
    }

    @Test("If commits come faster than the disk moves them, the log still does not grow without bound")
    func fast() {
        var log = SimulatedLog(commitsPerPass: 12)
        for _ in 0..<5_000 {
            log.commit(80)
        }
        #expect(log.longestLog < 20_000)
        #expect(log.longestWait < 2_000, "the writer moves more than comes in during one pass")
        #expect(log.resetCount > 10)
    }

    @Test("Without reports, the log is begun again soon after it is long enough", arguments: [1, 7, 40], [1, 3, 12])
    func alone(pages: Int, commitsPerPass: Int) {
        var log = SimulatedLog(commitsPerPass: commitsPerPass)
        for _ in 0..<(20_000 / pages) {
            log.commit(pages)
        }
        #expect(log.longestLog <= CheckpointPlan.threshold + (2 * commitsPerPass + 2) * pages)
        #expect(log.longestWait <= CheckpointPlan.writerLimit)
    }

    @Test("Nothing begins before there is a log to check, or after the end")
    func bounds() {
        var plan = CheckpointPlan()
        #expect(plan.didCommit(frames: 5_000, canBegin: false) == .nothing)
        #expect(plan.didCommit(frames: 5_001) == .background)
        plan.stop()
        plan.didMoveInBackground(5_001, of: 5_001)
        #expect(plan.didCommit(frames: 5_002) == .nothing)
        #expect(!plan.isMoving)
        #expect(plan.frames == 5_002)
    }

    @Test("A failed checkpoint is tried again after some more frames")
    func failed() {
        var plan = CheckpointPlan()
        #expect(plan.didCommit(frames: 1_024) == .background)
        plan.didFail()
        #expect(plan.didCommit(frames: 1_025) == .nothing)
        #expect(plan.didCommit(frames: 1_024 + CheckpointPlan.retryInterval) == .background)
    }
}
