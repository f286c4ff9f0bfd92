import ArgumentParser
import AttributionHTTP
import Foundation

/// `HOST:PORT`, where IPv6 addresses stand in brackets.
struct ListenAddress: ExpressibleByArgument, Sendable, CustomStringConvertible {
    let host: String
    let port: Int

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"),
            let port = Int(argument[argument.index(after: colon)...]), (0...65_535).contains(port)
        else {
            return nil
        }
        var host = argument[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else {
            return nil
        }
        self.host = String(host)
        self.port = port
    }

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Whether only this machine can reach it.
    var isLoopback: Bool {
        // By the address: a name such as 127.example.com can stand for any machine.
        InternetAddress(host)?.isLoopback ?? (host == "localhost")
    }

    var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
