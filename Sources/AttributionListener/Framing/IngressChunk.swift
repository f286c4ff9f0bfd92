/// How far a chunked body has been read.
enum IngressChunk {
    /// Before the first digit of a chunk's size.
    case start
    /// Within the size; its value so far.
    case size(UInt64)
    /// At the beginning of an extension's name or, in its second half, value.
    case extensionStart(UInt64, isValue: Bool)
    /// Within an extension's name or value.
    case extensionText(UInt64, isValue: Bool)
    /// Before the line feed that ends the line of the size.
    case sizeEnd(UInt64)
    /// Within the data; the number of bytes still to come.
    case data(UInt64)
    /// Before the carriage return after the data.
    case dataEnd
    /// Before the line feed after the data.
    case dataLineFeed
}
