import Foundation

/// The system's randomness, taken 256 bytes at a time: for nonces, of which each signature needs one.
///
/// A system call for each word would take a microsecond per nonce.
package struct BufferedRandomNumberGenerator: RandomNumberGenerator {
    private static let words = 32

    private var buffer = [UInt64](repeating: 0, count: Self.words)
    private var position = Self.words

    /// Makes a generator that has taken nothing yet.
    package init() {}

    /// The next word.
    package mutating func next() -> UInt64 {
        if position == Self.words {
            position = 0
            let isFilled = buffer.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) == 0 }
            if !isFilled {
                var system = SystemRandomNumberGenerator()
                for index in buffer.indices { buffer[index] = system.next() }
            }
        }
        defer { position += 1 }
        return buffer[position]
    }
}
