/// Lines that wait to be written, bounded in number and bytes; what does not fit is counted and forgotten.
struct LineQueue {
    private let lineLimit: Int
    private let byteLimit: Int
    private var bytes: [UInt8] = []
    private var lines = 0
    private var dropped = 0

    /// What a batch consists of.
    struct Batch {
        /// Whole lines, their line feeds included.
        var bytes: [UInt8] = []
        var lines = 0
        /// How many lines were dropped behind them.
        var dropped = 0
    }

    init(lines: Int, bytes: Int) {
        lineLimit = lines
        byteLimit = bytes
    }

    var isEmpty: Bool { lines == 0 && dropped == 0 }

    /// Adds a line, or counts it when there is no room.
    mutating func append(_ line: [UInt8]) {
        // After the first dropped line the order would no longer tell where lines are missing.
        guard dropped == 0, lines < lineLimit, bytes.count + line.count <= byteLimit else {
            dropped += 1
            return
        }
        bytes.append(contentsOf: line)
        lines += 1
    }

    /// Takes everything.
    ///
    /// - Parameter batch: Receives it; its memory serves for the lines that come next.
    mutating func take(into batch: inout Batch) {
        batch.bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &batch.bytes)
        (batch.lines, batch.dropped) = (lines, dropped)
        (lines, dropped) = (0, 0)
    }
}
