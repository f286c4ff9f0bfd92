import CLinux
import Glibc

/// A whole HTTP answer, looked at as little as possible: the load generator must be faster than what it measures.
struct LoadAnswer {
    let status: Int
    let isSuccess: Bool
    let body: UnsafeRawBufferPointer
    /// Whether the server closes the connection after it.
    let closes: Bool

    /// nil while bytes are missing.
    init?(_ bytes: UnsafeRawBufferPointer, success: String) {
        guard bytes.count > 12, let headEnd = Self.place(of: "\r\n\r\n", in: bytes) else {
            return nil
        }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<headEnd])
        body = UnsafeRawBufferPointer(rebasing: bytes[(headEnd + 4)...])
        guard let length = Self.place(of: "Content-Length: ", in: head),
            body.count >= Self.number(in: head, at: length + 16)
        else {
            return nil
        }
        status = Self.number(in: head, at: 9)
        isSuccess = status == 200 && Self.place(of: success, in: body) != nil
        closes = Self.place(of: "Connection: close", in: head) != nil
    }

    private static func number(in bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
        var number = 0
        var place = start
        while place < bytes.count, (0x30...0x39).contains(bytes[place]), number < 1_000_000 {
            number = number * 10 + Int(bytes[place] - 0x30)
            place += 1
        }
        return number
    }

    private static func place(of text: String, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, let found = memmem(base, bytes.count, text, text.utf8.count) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }
}
