/// The members of a comma-separated list from the last to the first; quoted commas do not separate.
///
/// Lazy, and bounded in the length of a member, so that a field made up by a client costs one pass over its bytes.
struct ForwardedEntries {
    /// More than a proxy writes about one client, its host and the proxy's own name included.
    static let longest = 512

    private let bytes: UnsafeRawBufferPointer
    /// The end of the next member; nil after the first one of the list.
    private var end: Int?
    private var isQuoted: Bool

    /// Begins at the end of a list.
    ///
    /// - Parameter bytes: The value of one field.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        end = bytes.count
        var quotes = 0
        for byte in bytes where byte == UInt8(ascii: "\"") { quotes += 1 }
        // Seen from the left, what follows an odd number of quotes is quoted.
        isQuoted = quotes % 2 == 1
    }

    /// The next member; nil when there is none.
    ///
    /// A member longer than ``longest`` is returned empty and ends the list: a part of it could mean something else.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard let end else { return nil }
        var start = end
        self.end = nil
        while start > 0 {
            guard end - start < Self.longest else { return bytes[bytes: 0..<0] }
            let byte = bytes[start - 1]
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                self.end = start - 1
                break
            }
            start -= 1
        }
        return bytes[bytes: start..<end]
    }
}
