package import Attribution
import Foundation

/// A delivery of a simulated device, and the answer a server must give it.
package struct PlannedDelivery: Sendable {
    /// What a server must answer.
    package enum Expectation: Hashable, Sendable {
        /// 200 with this status and, in quarantine, this reason.
        case durable(Recording.Status, PostbackRejection.Code?)
        /// 400: not JSON.
        case refused
        /// Nothing: the sender disconnects before the end of the body.
        case none
    }

    /// How a body is sent.
    package enum Transport: Hashable, Sendable {
        /// All at once.
        case whole
        /// In pieces, with pauses between them.
        case inPieces
        /// Half of it, then the connection is cut.
        case cut
    }

    /// What a delivery is among those of one postback.
    enum Part: Sendable {
        /// The first one, which is recorded.
        case first(SimulatedPostback)
        /// The first one for the other recipient.
        case otherRecipient
        /// A further copy or a forgery.
        case further
        /// Signed by Apple's development key.
        case development
    }

    /// When it reaches the server, in milliseconds since the scenario began.
    package let time: Int64
    package let body: [UInt8]
    package var expectation: Expectation
    package var transport = Transport.whole
    /// Whose copy it is, which decides where it is sent.
    package var recipient = Delivery.Recipient.network
    package let framework: PostbackFramework
    let part: Part
    /// When the first delivery of the same postback was.
    var firstAt: Int64

    /// Whether it may be sent only after the first copies were answered.
    var isSentLast: Bool {
        expectation != .durable(.recorded, nil) && expectation != .refused
    }

    /// Whether it is the first whole copy of a genuine postback, which must be recorded.
    var isGenuine: Bool {
        if case .first = part { transport == .whole } else { false }
    }
}

extension PostbackFramework {
    /// The path to which devices send copies for a recipient.
    ///
    /// The developer's paths are Apple's; the network registers its own with Apple.
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

    /// Parses a URL, or returns nil for anything but an HTTP URL.
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

    /// The URL for a delivery; developers' copies go to Apple's paths, whatever is registered for the network.
    package func url(for recipient: Delivery.Recipient, _ framework: PostbackFramework) -> String {
        (recipient == .network ? registered : nil) ?? origin + framework.path(for: recipient)
    }
}
