import Foundation
import Glibc

/// Connections that begin a request and never end it.
final class HalfRequests {
    private var descriptors: [Int32] = []

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    /// Opens connections to a port of 127.0.0.1 from the loopback address with this last number.
    func open(_ count: Int, from host: UInt8, to port: Int) throws {
        for _ in 0..<count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
            descriptors.append(descriptor)
            var limit = timeval(tv_sec: 10, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            guard Self.call(bind, descriptor, Self.address("127.0.0.\(host)", 0)) == 0,
                Self.call(connect, descriptor, Self.address("127.0.0.1", port)) == 0
            else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            let half = Array("POST /skadnetwork/postbacks HTTP/1.1\r\nHost: a\r\nX: ".utf8)
            _ = send(descriptor, half, half.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Whether an answer, or the end, comes on the last connection within the time.
    func hearsAnything(withinMilliseconds milliseconds: Int32) -> Bool {
        guard let last = descriptors.last else { return false }
        var entry = pollfd(fd: last, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    private static func address(_ host: String, _ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return address
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32,
        _ descriptor: Int32,
        _ address: sockaddr_in
    ) -> Int32 {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
