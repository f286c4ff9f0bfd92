/// The members of a comma-separated list from the last to the first; commas in quotes separate nothing.
///
/// Nothing left of the members asked for is split, and a member longer than any address is not searched to its
/// beginning: what a client can make of the field costs one look at each byte.
struct ForwardedEntries {
    /// Above what a proxy writes of one client, its host and its own name included.
    static let longest = 512

    private let bytes: UnsafeRawBufferPointer
    /// Where the next member ends; nil after the first one of the list.
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
        // Seen from the left, what stands behind an odd quote is quoted.
        isQuoted = quotes % 2 == 1
    }

    /// The next member; nil when there is none.
    ///
    /// One longer than ``longest`` is the last, and empty: a part of it could say something else than the whole.
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
