import Foundation
import Glibc

/// Asks the console of a server for one thing after the other.
struct ConsoleClient {
    let port: Int

    /// Gets a path, and returns how long that took, and the body.
    func get(_ path: String) throws -> (seconds: Double, body: Substring) {
        let stopwatch = Stopwatch()
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n".utf8)
        guard isConnected, send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw BenchmarkFailure("cannot ask the console: \(String(cString: strerror(errno)))")
        }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else {
                break
            }
            answer += piece[..<count]
        }
        let seconds = stopwatch.seconds
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 200"), let head = text.range(of: "\r\n\r\n") else {
            throw BenchmarkFailure("GET \(path): \(text.prefix(400))")
        }
        return (seconds, text[head.upperBound...])
    }
}
