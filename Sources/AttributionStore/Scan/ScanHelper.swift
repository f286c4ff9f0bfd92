import Foundation
import Synchronization

/// A second thread for a pass over many blocks: it checks and counts what the first one reads.
///
/// The first thread counts a block itself when this one has enough to do, so that neither waits for the other.
final class ScanHelper<Key: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    private struct State {
        var blocks: [LoadedBlock] = []
        var isStarted = false
        var isEnding = false
        var failure: (any Error)?
    }

    /// What the helper counted.
    struct Part: Sendable {
        let cells: ScannedCells<Key>
        /// The numbers of damaged blocks, which were not counted.
        let damaged: [Int64]
    }

    private let state = Mutex(State())
    private let part = Mutex<Part?>(nil)
    /// Signalled for each block, and for the end.
    private let work = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let question: LedgerQuestion
    private let layout: ScanLayout
    private let codes: ColumnCodes
    private let isBackground: Bool

    /// Blocks that wait, so that a slow reader does not keep the helper waiting.
    private static var waitingCount: Int { 4 }

    init(_ question: LedgerQuestion, _ layout: ScanLayout, _ codes: ColumnCodes, isBackground: Bool) {
        self.question = question
        self.layout = layout
        self.codes = codes
        self.isBackground = isBackground
    }

    /// Hands over a block.
    ///
    /// - Returns: Whether it is taken; if not, the caller counts it.
    /// - Throws: What made the helper fail.
    func take(_ block: LoadedBlock) throws -> Bool {
        let (isTaken, starts) = try state.withLock { state in
            if let failure = state.failure {
                throw failure
            }
            guard state.blocks.count < Self.waitingCount else {
                return (false, false)
            }
            state.blocks.append(block)
            defer { state.isStarted = true }
            return (true, !state.isStarted)
        }
        if starts {
            // Has the scheduling policy of the thread that starts it.
            let thread = Thread {
                Thread.current.name = "skan-scan"
                self.run()
            }
            thread.start()
        }
        if isTaken {
            work.signal()
        }
        return isTaken
    }

    /// Waits for the end of its work.
    ///
    /// - Returns: What it counted; nil if it was given nothing.
    /// - Throws: What made it fail.
    func finish() throws -> Part? {
        guard stop() else {
            return nil
        }
        ended.wait()
        if let failure = state.withLock({ $0.failure }) {
            throw failure
        }
        return part.withLock { $0.take() }
    }

    /// Ends the thread after the blocks that wait.
    ///
    /// - Returns: Whether there is a thread.
    @discardableResult
    func stop() -> Bool {
        let isStarted = state.withLock { state in
            state.isEnding = true
            return state.isStarted
        }
        work.signal()
        return isStarted
    }

    private func run() {
        defer { ended.signal() }
        var scan = ColumnScan<Key>(question, layout, codes)
        defer { scan.deallocate() }
        var damaged: [Int64] = []
        do {
            while let block = next() {
                if try !scan.count(block) {
                    damaged.append(block.number)
                }
            }
            let counted = Part(cells: scan.counted, damaged: damaged)
            part.withLock { $0 = counted }
        } catch {
            state.withLock { $0.failure = error }
        }
    }

    /// The next block; nil when there will be none.
    private func next() -> LoadedBlock? {
        while true {
            work.wait()
            let (block, isEnding) = state.withLock { state in
                (state.blocks.isEmpty ? nil : state.blocks.removeFirst(), state.isEnding)
            }
            if block != nil || isEnding {
                return block
            }
        }
    }
}
