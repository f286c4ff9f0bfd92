import Foundation
import Glibc
import Synchronization

/// A blocking TCP client on 127.0.0.1 that sends exactly the bytes it is given.
///
/// Every wait ends after a minute.
package final class RawClient: Sendable {
    /// Why a read did not give what it should.
    enum Failure: Error {
        case cannotConnect
        case timedOut
        case closed
        case reset
        case notHTTP(String)
    }

    private let descriptor: Int32
    private let unread = Mutex<[UInt8]>([])

    package init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        guard Loopback.call(connect, descriptor, port: port) else { throw Failure.cannotConnect }
    }

    deinit {
        close(descriptor)
    }

    /// Sends all bytes; `false` when the server has gone.
    @discardableResult
    package func send(_ text: String) -> Bool {
        Loopback.send(text.utf8, to: descriptor)
    }

    /// Ends sending; reading goes on.
    package func closeSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Reads one answer whole.
    package func answer(toHEAD: Bool = false) throws -> RawAnswer {
        try unread.withLock { unread in
            var end = Self.headEnd(unread)
            while end == nil {
                unread += try receive()
                end = Self.headEnd(unread)
            }
            guard let end else { throw Failure.notHTTP("") }
            let lines = String(decoding: unread[..<end], as: UTF8.self).components(separatedBy: "\r\n")
            unread.removeFirst(end + 4)
            let first = lines[0].split(separator: " ")
            guard first.count >= 2, first[0] == "HTTP/1.1", let status = Int(first[1]) else {
                throw Failure.notHTTP(lines[0])
            }
            var fields: [String: String] = [:]
            for line in lines.dropFirst() {
                let sides = line.components(separatedBy: ": ")
                fields[sides[0].lowercased()] = sides.dropFirst().joined(separator: ": ")
            }
            let length = status == 100 || toHEAD ? 0 : Int(fields["content-length"] ?? "") ?? 0
            while unread.count < length { unread += try receive() }
            let body = String(decoding: unread.prefix(length), as: UTF8.self)
            unread.removeFirst(length)
            return RawAnswer(status: status, fields: fields, body: body)
        }
    }

    /// Waits until the server closes; `true` when it did so in order and sent nothing more before.
    package func isClosedByServer() throws -> Bool {
        do {
            while true {
                let bytes = try receive()
                unread.withLock { $0 += bytes }
            }
        } catch Failure.closed {
            return unread.withLock { $0.isEmpty }
        } catch Failure.reset {
            return false
        }
    }

    /// Waits until the server closes or cuts the connection, whatever it sends before.
    package func waitForEnd() throws {
        do {
            while true { _ = try receive() }
        } catch Failure.closed {
        } catch Failure.reset {
        }
    }

    /// Whether nothing can be read, not even the end, for a while.
    package func isQuiet(forMilliseconds milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) == 0
    }

    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
    }

    private func receive() throws -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count == 0 { throw Failure.closed }
        if count < 0 { throw errno == EAGAIN ? Failure.timedOut : Failure.reset }
        return bytes.prefix(count)
    }
}

/// One HTTP answer as read from a socket.
package struct RawAnswer: Sendable {
    package let status: Int
    /// Field names in lower case.
    package let fields: [String: String]
    package let body: String

    /// The stable code in a refusal's body.
    package var reason: String? {
        guard let start = body.range(of: #""reason":""#) else { return nil }
        return String(body[start.upperBound...].prefix { $0 != "\"" })
    }

    /// Whether it announces the end of the connection.
    package var saysClose: Bool { fields["connection"] == "close" }
}
