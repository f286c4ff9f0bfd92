/// A queue of lines with limits on lines and bytes; lines beyond them are dropped and counted.
struct LineQueue {
    private let lineLimit: Int
    private let byteLimit: Int
    private var bytes: [UInt8] = []
    private var lines = 0
    private var dropped = 0

    /// The lines taken at once.
    struct Batch {
        /// Whole lines with their line feeds.
        var bytes: [UInt8] = []
        var lines = 0
        /// How many lines were dropped after them.
        var dropped = 0
    }

    init(lines: Int, bytes: Int) {
        lineLimit = lines
        byteLimit = bytes
    }

    var isEmpty: Bool { lines == 0 && dropped == 0 }

    /// Adds a line, or counts it if there is no room.
    mutating func append(_ line: [UInt8]) {
        // Once a line is dropped, so are all that follow: then the gap is always at the end of the batch.
        guard dropped == 0, lines < lineLimit, bytes.count + line.count <= byteLimit else {
            dropped += 1
            return
        }
        bytes.append(contentsOf: line)
        lines += 1
    }

    /// Takes all lines.
    ///
    /// - Parameter batch: Receives them; its memory is reused for the queue.
    mutating func take(into batch: inout Batch) {
        batch.bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &batch.bytes)
        (batch.lines, batch.dropped) = (lines, dropped)
        (lines, dropped) = (0, 0)
    }
}
