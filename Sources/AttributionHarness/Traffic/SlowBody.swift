import NIOCore

/// A body that arrives in pieces, with a pause before each; or of which only the first half arrives.
struct SlowBody: AsyncSequence, Sendable {
    /// The sender went away.
    struct WentAway: Error {}

    private static let pieces = 4
    private let bytes: [UInt8]
    private let isCut: Bool

    init(_ bytes: [UInt8], isCut: Bool) {
        self.bytes = bytes
        self.isCut = isCut
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(bytes: bytes, isCut: isCut)
    }

    struct Iterator: AsyncIteratorProtocol {
        let bytes: [UInt8]
        let isCut: Bool
        var sent = 0

        mutating func next() async throws -> ByteBuffer? {
            if isCut, sent * 2 >= bytes.count {
                throw WentAway()
            }
            guard sent < bytes.count else {
                return nil
            }
            try await Task.sleep(for: .milliseconds(50))
            let end = Swift.min(bytes.count, sent + bytes.count / SlowBody.pieces + 1)
            defer { sent = end }
            return ByteBuffer(bytes: bytes[sent..<end])
        }
    }
}
