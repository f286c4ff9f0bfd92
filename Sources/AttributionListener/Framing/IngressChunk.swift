/// How far the reading of a chunked body is.
enum IngressChunk {
    /// Before the first digit of a chunk's size.
    case start
    /// Within the size; what the digits say so far.
    case size(UInt64)
    /// At the beginning of an extension's name or, in its second half, value.
    case extensionStart(UInt64, isValue: Bool)
    /// Within an extension's name or value.
    case extensionText(UInt64, isValue: Bool)
    /// Before the line feed that ends the line of the size.
    case sizeEnd(UInt64)
    /// Within the data, of which so many bytes are to come.
    case data(UInt64)
    /// Before the carriage return behind the data.
    case dataEnd
    /// Before the line feed behind the data.
    case dataLineFeed
}
