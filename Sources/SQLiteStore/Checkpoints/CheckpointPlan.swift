/// Decides who checkpoints the log, and when, from what commits and checkpoints report.
///
/// The second connection does what takes long; the writer, whose commits wait meanwhile, only the frames added last, so
/// that the log is complete in the store and SQLite can reset it.
package struct CheckpointPlan: Sendable {
    private enum Phase {
        case idle
        case moving
        /// Everything in the log at the start of the checkpoint is in the store.
        case moved
        /// No checkpoint may begin.
        case stopped
    }

    /// What to do after a commit.
    package enum Turn: Sendable {
        case nothing
        /// The second connection checkpoints.
        case background
        /// The writer checkpoints.
        case writer
    }

    private var phase = Phase.idle
    /// The frames of this log that are in the store.
    private var movedCount = 0
    /// How often the log was reset, and how often when the running checkpoint began.
    private var resets = 0
    private var resetsBefore = 0
    /// The number of frames at which the next checkpoint begins.
    private var next = Self.threshold
    /// How many checkpoints in a row left more than the writer may move.
    private var passCount = 0

    /// The frames in the log as of the last commit.
    package private(set) var frames = 0

    /// The number of frames at which a checkpoint begins, 4 MiB.
    ///
    /// A higher threshold would write less, but commits wait for the disk during a checkpoint: at 16 MiB, long enough
    /// to double the time of one answer in a hundred.
    package static let threshold = 1_024
    /// The most frames that the writer moves while answers wait, 2 MiB.
    package static let writerLimit = 512
    /// The frames added before another attempt, if a reader held the last one back or keeps SQLite from resetting the
    /// log.
    package static let retryInterval = 256
    /// After so many passes commits come faster than the disk moves them: the writer has to wait, or the log would grow
    /// without bound.
    package static let passLimit = 8

    package init() {}

    /// Whether commits come faster than the second connection moves them.
    package var isBehind: Bool {
        passCount > 0
    }

    /// Whether a checkpoint of the second connection is to go on.
    package var isMoving: Bool {
        if case .moving = phase { true } else { false }
    }

    /// Takes the length of the log after a commit.
    ///
    /// - Parameters:
    ///   - frames: The frames in the log.
    ///   - canBegin: Whether a checkpoint may begin.
    /// - Returns: Who is to checkpoint.
    package mutating func didCommit(frames: Int, canBegin: Bool = true) -> Turn {
        if frames <= self.frames {
            resets += 1
            movedCount = 0
            passCount = 0
            next = Self.threshold
        }
        self.frames = frames
        switch phase {
        case .idle where frames >= next && canBegin:
            return begin()
        case .moved where frames - movedCount <= Self.writerLimit || passCount >= Self.passLimit:
            phase = .idle
            return .writer
        case .moved:
            passCount += 1
            return begin()
        case .idle, .moving, .stopped:
            return .nothing
        }
    }

    private mutating func begin() -> Turn {
        phase = .moving
        resetsBefore = resets
        return .background
    }

    /// Takes the result of a checkpoint of the second connection.
    ///
    /// - Parameters:
    ///   - moved: How many frames of the log are in the store; a reader may need the store without the others.
    ///   - inLog: The frames in the log when it began.
    package mutating func didMoveInBackground(_ moved: Int, of inLog: Int) {
        guard isMoving else {
            return
        }
        if moved == inLog {
            movedCount = resets == resetsBefore ? moved : 0
            phase = .moved
        } else {
            wait()
        }
    }

    /// Takes the end of a checkpoint of the writer.
    package mutating func didMoveInWriter() {
        // The next commit resets the log, unless a reader uses it.
        next = max(Self.threshold, frames + Self.retryInterval)
        passCount = 0
    }

    /// Takes a failed checkpoint of the second connection; a later commit begins another.
    package mutating func didFail() {
        if isMoving {
            wait()
        }
    }

    private mutating func wait() {
        phase = .idle
        passCount = 0
        next = max(Self.threshold, frames + Self.retryInterval)
    }

    /// Prevents further checkpoints.
    package mutating func stop() {
        phase = .stopped
    }
}
