import CLinux
import Glibc

/// Bodies made from those of valid postbacks.
enum ChangedBody {
    /// The same postback with another conversion value, which nobody signs: it contradicts the first one.
    static func conflict(_ body: [UInt8]) -> [UInt8] {
        guard let start = place(behind: #""conversion-value":"#, in: body) else {
            return body
        }
        let end = body[start...].firstIndex(of: 0x7D) ?? body.endIndex
        let value = body[start..<end].elementsEqual([0x30]) ? 0x31 : 0x30 as UInt8
        return body[..<start] + [value] + body[end...]
    }

    /// Another app than the signed one.
    static func forged(_ body: [UInt8]) -> [UInt8] {
        guard let start = place(behind: #""app-id":"#, in: body) else {
            return body
        }
        var body = body
        body[start] += 1
        return body
    }

    /// An object without the network's field.
    static func garbage(_ body: [UInt8]) -> [UInt8] {
        let name = #""ad-network-id"#
        guard let end = place(behind: name, in: body) else {
            return body
        }
        var body = body
        body[end - name.utf8.count + 1] = 0x78
        return body
    }

    private static func place(behind text: String, in body: [UInt8]) -> Int? {
        body.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memmem(base, bytes.count, text, text.utf8.count) else {
                return nil
            }
            return UnsafeRawPointer(found) - base + text.utf8.count
        }
    }
}
