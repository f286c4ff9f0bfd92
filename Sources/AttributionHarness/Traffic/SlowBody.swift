package import NIOCore

/// A body that arrives in pieces, with a pause before each; or of which only the first half arrives.
package struct SlowBody: AsyncSequence, Sendable {
    /// The sender went away.
    package struct WentAway: Error {}

    private static let pieces = 4
    private let bytes: [UInt8]
    private let isCut: Bool

    /// Makes a body.
    package init(_ bytes: [UInt8], isCut: Bool) {
        self.bytes = bytes
        self.isCut = isCut
    }

    /// The pieces.
    package func makeAsyncIterator() -> Iterator {
        Iterator(bytes: bytes, isCut: isCut)
    }

    /// The pieces.
    package struct Iterator: AsyncIteratorProtocol {
        let bytes: [UInt8]
        let isCut: Bool
        var sent = 0

        /// The next piece, after a pause.
        package mutating func next() async throws -> ByteBuffer? {
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
