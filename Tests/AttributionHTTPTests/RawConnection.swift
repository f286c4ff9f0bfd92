import Foundation

/// A plain blocking socket to a server on loopback, for sending what no HTTP library would.
final class RawConnection {
    private let descriptor: Int32

    /// Connects; reads give up after ten seconds.
    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Sends as much as the server takes.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                return
            }
            sent += count
        }
    }

    /// Closes the sending half.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Reads until the server closes; nil when it does not within ten seconds.
    func readToEnd() -> String? {
        var bytes: [UInt8] = []
        while let more = readSome() {
            guard !more.isEmpty else {
                return String(decoding: bytes, as: UTF8.self)
            }
            bytes += more
        }
        return nil
    }

    /// Reads until the text holds a marker; nil when it never does.
    func read(until marker: String) -> String? {
        var bytes: [UInt8] = []
        while let more = readSome(), !more.isEmpty {
            bytes += more
            let text = String(decoding: bytes, as: UTF8.self)
            if text.contains(marker) {
                return text
            }
        }
        return nil
    }

    /// Whether nothing has arrived yet.
    func peekIsEmpty() -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) <= 0
    }

    /// What has arrived, empty at the end or after a reset; nil after ten seconds of silence.
    private func readSome() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 {
            return errno == ECONNRESET ? [] : nil
        }
        return Array(buffer.prefix(count))
    }
}
