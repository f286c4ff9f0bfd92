/// The origin that devices request the signed payload of a web ad from, for example `https://network.example`.
///
/// - SeeAlso: [SKAdNetwork for Web Ads](https://developer.apple.com/documentation/skadnetworkforwebads)
package struct AttributionDestination: Hashable, Sendable, CustomStringConvertible {
    /// The path to which devices post.
    package static let path = "/.well-known/skadnetwork/get-signed-payload"

    /// The origin as written in the link.
    package let origin: String

    /// Accepts `https://HOST` or `https://HOST:PORT`; nil for any other text, because devices add the path themselves.
    package init?(_ origin: String) {
        let scheme = "https://"
        guard origin.hasPrefix(scheme), origin.utf8.count <= 255 else {
            return nil
        }
        let parts = origin.dropFirst(scheme.count).split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte), parts.count <= 2 else {
            return nil
        }
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(parts[1]), port > 0 else {
                return nil
            }
        }
        self.origin = origin
    }

    /// The origin as written in the link.
    package var description: String {
        origin
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
