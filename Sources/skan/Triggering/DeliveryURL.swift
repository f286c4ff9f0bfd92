import Foundation

/// Where a delivery is posted: a URL with a path as it is, else with the path that devices use.
struct DeliveryURL {
    private let text: String
    private let hasPath: Bool

    /// Takes a URL.
    ///
    /// - Throws: ``CommandFailure`` for what is none of HTTP.
    init(_ text: String, option: String) throws {
        guard let url = URLComponents(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false
        else {
            throw CommandFailure(
                "\(option): found \(text), expected a URL", hint: "for example http://127.0.0.1:8080")
        }
        hasPath = !url.path.isEmpty && url.path != "/"
        self.text = text
    }

    /// The URL for a delivery whose path would be this one.
    func url(_ path: String) -> String {
        guard !hasPath else {
            return text
        }
        return (text.hasSuffix("/") ? String(text.dropLast()) : text) + path
    }
}
