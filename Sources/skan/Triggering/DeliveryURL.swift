import Foundation
import StrictJSON

/// The URL to which deliveries are posted: as given if it has a path, otherwise with the path that devices use.
struct DeliveryURL {
    private let text: String
    private let hasPath: Bool
    /// Whether its server is on this machine.
    let isLoopback: Bool

    /// Parses a URL.
    init(_ text: String, option: String) throws {
        let url = try URLComponents(server: text, option: option)
        isLoopback = ["127.0.0.1", "localhost", "[::1]", "::1"].contains(url.host)
        hasPath = url.hasOwnPath
        self.text = text
    }

    /// The URL for a delivery with this path.
    func url(_ path: String) -> String {
        guard !hasPath else {
            return text
        }
        return (text.hasSuffix("/") ? String(text.dropLast()) : text) + path
    }
}

extension URLComponents {
    /// Parses the URL of a server, to which a command adds paths unless it has one of its own.
    ///
    /// What would be dropped or sent elsewhere is refused: user and password, a fragment, and a query without a path of
    /// its own.
    init(server text: String, option: String, takesPath: Bool = true) throws(CommandFailure) {
        guard !text.contains("@") else {
            // Not shown, because it is a secret, wherever it was typed.
            throw CommandFailure(
                "\(option): found a user or a password in the URL, or another @, expected none",
                hint: "\(option) http://127.0.0.1:8080")
        }
        guard let url = URLComponents(string: text), url.host?.isEmpty == false,
            ["http", "https"].contains(url.scheme?.lowercased())
        else {
            throw CommandFailure(
                "\(option): found \(text.quotedIfEmpty.shortened(to: 100)), expected a URL",
                hint: "\(option) http://127.0.0.1:8080")
        }
        func refusal(_ part: String) -> CommandFailure {
            CommandFailure(
                "\(option): found \(part) in the URL, expected none", hint: "\(option) http://127.0.0.1:8080")
        }
        guard url.fragment == nil else {
            throw refusal("the fragment #\(url.fragment?.shortened(to: 40) ?? "")")
        }
        guard url.query == nil || takesPath && url.hasOwnPath else {
            throw refusal("the query ?\(url.query?.shortened(to: 40) ?? "")")
        }
        if let port = Self.port(of: text), UInt16(port).map({ $0 > 0 }) != true {
            throw CommandFailure(
                "\(option): found the port \(String(port).quotedIfEmpty.shortened(to: 40)), expected 1 to 65535",
                hint: "\(option) http://127.0.0.1:8080")
        }
        self = url
    }

    /// Whether it has a path other than the one that every URL has.
    fileprivate var hasOwnPath: Bool {
        !path.isEmpty && path != "/"
    }

    /// The text of the port in a URL without a user; nil if there is none.
    ///
    /// The property is nil for a port that is too large, too.
    private static func port(of text: String) -> Substring? {
        let authority = (text.firstRange(of: "://").map { text[$0.upperBound...] } ?? "").prefix { !"/?#".contains($0) }
        // The colons in an address of IPv6 are none before a port.
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        return authority[end...].firstIndex(of: ":").map { authority[authority.index(after: $0)...] }
    }
}
