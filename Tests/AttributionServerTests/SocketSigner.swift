import Attribution
import AttributionSigning
import Foundation
import Glibc
import StrictJSON
import Synchronization

/// A signer at a socket, in this process, which does what a test wants.
final class SocketSigner: Sendable {
    /// What it does with a request.
    enum Conduct: Sendable {
        case signs
        case isSilent
        /// It signs with another key than it says.
        case signsWrongly
        /// It does not know the key.
        case refuses
        case hangsUp
    }

    private let path: String
    private let key: NetworkPrivateKey
    private let other: NetworkPrivateKey
    private let listener: Int32
    private let connections = Mutex<[Int32]>([])
    private let conduct: Mutex<Conduct>

    /// Listens at a path.
    init(_ path: String, _ key: NetworkPrivateKey, _ conduct: Conduct = .signs) throws {
        struct CannotListen: Error {}
        self.path = path
        self.key = key
        self.conduct = Mutex(conduct)
        other = try .generate(.p256)
        unlink(path)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listener, 8) == 0 else { throw CannotListen() }
        Thread.detachNewThread { [self] in
            // Closed by whoever reads from it, after the last use of its number.
            defer { close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                connections.withLock { $0.append(connection) }
                Thread.detachNewThread { [self] in serve(connection) }
            }
        }
    }

    /// Does something else from now on.
    func behave(_ conduct: Conduct) {
        self.conduct.withLock { $0 = conduct }
    }

    /// Ends, and all its connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
        connections.withLock { for connection in $0 { shutdown(connection, Int32(SHUT_RDWR)) } }
    }

    private func serve(_ connection: Int32) {
        defer {
            connections.withLock { connections in
                connections.removeAll { $0 == connection }
                close(connection)
            }
        }
        var unread: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            unread += bytes.prefix(count)
            while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(unread[..<end])
                unread.removeFirst(end + 1)
                guard answer(line, on: connection) else { return }
            }
        }
    }

    private func answer(_ line: [UInt8], on connection: Int32) -> Bool {
        guard let object = try? JSONObject(reading: line), case .integer(let id)? = object["id"],
            case .string(let base64)? = object["digest"], let digest = Base64.decode(base64)
        else { return false }
        let conduct = conduct.withLock { $0 }
        switch conduct {
        case .hangsUp: return false
        case .isSilent: return true
        case .signs: return sign(digest, with: key, id, on: connection)
        case .signsWrongly: return sign(digest, with: other, id, on: connection)
        case .refuses: return reply("{\"id\":\(id),\"error\":\"no-such-key\"}", on: connection)
        }
    }

    private func sign(_ digest: [UInt8], with key: NetworkPrivateKey, _ id: Int64, on connection: Int32) -> Bool {
        guard let signature = try? key.signature(digest: digest) else { return false }
        return reply("{\"id\":\(id),\"signature\":\"\(Base64.encode(signature))\"}", on: connection)
    }

    private func reply(_ line: String, on connection: Int32) -> Bool {
        let bytes = Array((line + "\n").utf8)
        return send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}
