/// The beginning of a connection from a proxy that speaks the PROXY protocol, version 1 or 2.
///
/// - SeeAlso: [The PROXY protocol](https://www.haproxy.org/download/1.8/doc/proxy-protocol.txt)
package struct ProxyHeader: Equatable {
    /// What the first bytes of a connection are.
    package enum Reading: Equatable {
        /// They may become a header.
        case unfinished
        /// They begin with one.
        case header(ProxyHeader)
        /// They do not begin with a header.
        case malformed
    }

    /// The client's address; nil for a connection of the proxy's own, or if the proxy does not say.
    package let source: InternetAddress?
    /// How many bytes it has.
    package let length: Int

    /// The longest header: addresses of Unix sockets and some further values, which are skipped.
    package static let longest = 536
    private static let longestLine = 107
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let word = Array("PROXY ".utf8)

    /// Whether bytes begin a header; as many are needed as tell it from HTTP and TLS.
    static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= word.count && (bytes.starts(with: word) || signature.starts(with: bytes.prefix(signature.count)))
    }

    /// Reads a header.
    package static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        if signature.starts(with: bytes.prefix(signature.count)) {
            return readBinary(bytes)
        }
        return word.starts(with: bytes.prefix(word.count)) ? readLine(bytes) : .malformed
    }

    /// Version 2: the signature, command, family, the length of the rest, the addresses.
    private static func readBinary(_ bytes: UnsafeRawBufferPointer) -> Reading {
        let fixed = signature.count + 4
        guard bytes.count >= fixed else {
            return .unfinished
        }
        let rest = Int(bytes[14]) << 8 | Int(bytes[15])
        let length = fixed + rest
        guard length <= longest, bytes[12] == 0x20 || bytes[12] == 0x21 else {
            return .malformed
        }
        guard bytes.count >= length else {
            return .unfinished
        }
        guard bytes[12] == 0x21 else {
            return .header(ProxyHeader(source: nil, length: length))
        }
        let source: InternetAddress?
        switch bytes[13] {
        // TCP over IPv4 and IPv6: both addresses and both ports.
        case 0x11 where rest >= 12: source = InternetAddress(bytes: bytes[bytes: fixed..<(fixed + 4)])
        case 0x21 where rest >= 36: source = InternetAddress(bytes: bytes[bytes: fixed..<(fixed + 16)])
        // Unspecified, or a Unix socket of the proxy's machine.
        case 0x00: source = nil
        case 0x31 where rest >= 216: source = nil
        default: return .malformed
        }
        return .header(ProxyHeader(source: source, length: length))
    }

    /// Version 1: a line of words, each separated from the next by one space.
    private static func readLine(_ bytes: UnsafeRawBufferPointer) -> Reading {
        guard let end = bytes.prefix(longestLine).firstIndex(of: UInt8(ascii: "\n")) else {
            return bytes.count < longestLine ? .unfinished : .malformed
        }
        guard bytes[end - 1] == UInt8(ascii: "\r") else {
            return .malformed
        }
        let words = bytes[bytes: 0..<(end - 1)].split(
            separator: UInt8(ascii: " "), omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        let length = end + 1
        switch (words[1], words.count) {
        // The proxy does not know, and whatever else it says is ignored.
        case ("UNKNOWN", _):
            return .header(ProxyHeader(source: nil, length: length))
        case ("TCP4", 6), ("TCP6", 6):
            let isV6 = words[1] == "TCP6"
            guard let source = InternetAddress(words[2]), InternetAddress(words[3]) != nil,
                words[2].contains(":") == isV6, words[3].contains(":") == isV6, isPort(words[4]), isPort(words[5])
            else {
                return .malformed
            }
            return .header(ProxyHeader(source: source, length: length))
        default:
            return .malformed
        }
    }

    private static func isPort(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(text) != nil
    }
}
