package import Attribution
import Foundation

extension PostbackFramework {
    /// The path to which devices send copies for a recipient.
    ///
    /// The path of the network's own is ours to choose, when it is registered with Apple; the others are Apple's.
    package func path(for recipient: Delivery.Recipient) -> String {
        switch (recipient, self) {
        case (.network, .skAdNetwork): "/skadnetwork/postbacks"
        case (.network, .adAttributionKit): "/adattributionkit/postbacks"
        case (.developer, .skAdNetwork): "/.well-known/skadnetwork/report-attribution/"
        case (.developer, .adAttributionKit): "/.well-known/appattribution/report-attribution/"
        }
    }
}

/// A server to which simulated devices send.
package struct DeliveryTarget: Hashable, Sendable {
    /// Scheme, host and port.
    private let origin: String
    /// The URL for the network's own copies; nil for the path of each framework.
    private let registered: String?

    /// Takes a URL; nil for what is not an HTTP URL.
    ///
    /// One without a path is a server with `skan`'s own paths.
    package init?(_ text: String) {
        guard var url = URLComponents(string: text), url.host?.isEmpty == false,
            ["http", "https"].contains(url.scheme?.lowercased())
        else {
            return nil
        }
        registered = url.path.isEmpty || url.path == "/" ? nil : text
        url.path = ""
        url.query = nil
        url.fragment = nil
        guard let origin = url.string else {
            return nil
        }
        self.origin = origin
    }

    /// Where a delivery is sent.
    ///
    /// A developer's copies go to Apple's paths at the top of the host, whatever is registered for the network.
    package func url(for recipient: Delivery.Recipient, _ framework: PostbackFramework) -> String {
        (recipient == .network ? registered : nil) ?? origin + framework.path(for: recipient)
    }
}
