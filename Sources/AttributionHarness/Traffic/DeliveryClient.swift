package import AttributionListener
import Foundation
import NIOCore
import NIOPosix
import StrictJSON

/// Posts single deliveries as a device does.
package struct DeliveryClient: Sendable {
    /// What a server answered, with the beginning of the body.
    package typealias Answer = HTTPClient.Answer

    private static let longestAnswer = 64 << 10

    package init() {}

    /// Posts a body; redirects are not followed, for devices may not follow them.
    ///
    /// Throws ``HTTPClient/Failure``, and what the connection reports.
    package func post(_ body: [UInt8], to url: String, within limit: Duration = .seconds(15)) async throws -> Answer {
        let request = try HTTPClient.Request(url: url, json: .whole(body))
        return try await HTTPClient.shared.send(request, keeping: Self.longestAnswer, within: limit)
    }

    /// Why nothing was answered, for a person.
    package static func reason(_ error: any Error) -> String {
        HTTPClient.reason(error)
    }

    /// Whether there was no connection at all.
    package static func isUnreachable(_ error: any Error) -> Bool {
        switch error {
        case is NIOConnectionError, ChannelError.connectTimeout:
            // A name is tried at all its addresses; an address that refuses is reported by itself.
            true
        case let error as IOError:
            [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(error.errnoCode)
        default: false
        }
    }

    /// Whether there was a connection, but not one of TLS that this machine trusts.
    package static func isDistrusted(_ error: any Error) -> Bool {
        switch error {
        case HTTPClient.Failure.handshakeFailed, HTTPClient.Failure.wrongName: true
        default: false
        }
    }
}

extension HTTPClient.Answer {
    /// Where a redirect leads; nil for any other answer.
    package var redirect: String? {
        (300..<400).contains(status) ? field("Location")?.shortened(to: 200) : nil
    }
}
