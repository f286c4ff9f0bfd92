import Foundation
import StrictJSON

/// The URL to which deliveries are posted: as given if it has a path, otherwise with the path that devices use.
struct DeliveryURL {
    private let text: String
    private let hasPath: Bool
    /// Whether its server is on this machine.
    let isLoopback: Bool

    /// Parses a URL.
    ///
    /// - Throws: ``CommandFailure`` for anything other than an HTTP URL.
    init(_ text: String, option: String) throws {
        guard let url = URLComponents(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false
        else {
            throw CommandFailure(
                "\(option): found \(text.quotedIfEmpty.shortened(to: 100)), expected a URL",
                hint: "\(option) http://127.0.0.1:8080")
        }
        isLoopback = ["127.0.0.1", "localhost", "[::1]", "::1"].contains(url.host)
        hasPath = !url.path.isEmpty && url.path != "/"
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
