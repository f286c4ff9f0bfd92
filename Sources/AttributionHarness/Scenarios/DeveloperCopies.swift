/// Where an app asks devices to send copies of its winning postbacks, as its Info.plist says.
///
/// - SeeAlso: [Configuring an advertised app](https://developer.apple.com/documentation/storekit/configuring-an-advertised-app)
/// - SeeAlso: [AttributionCopyEndpoint](https://developer.apple.com/documentation/bundleresources/information-property-list/attributioncopyendpoint)
package struct DeveloperCopies: Hashable, Sendable {
    /// A developer's endpoint.
    package enum Endpoint: String, CaseIterable, Hashable, Sendable {
        /// It is our server, at Apple's well-known paths.
        case ours
        /// It is a server of somebody else: copies are sent, and we never see them.
        case elsewhere
    }

    /// `NSAdvertisingAttributionReportEndpoint`; nil for an app that asks for no copies.
    package var skAdNetwork: Endpoint?
    /// `AttributionCopyEndpoint`; nil for an app that asks for no copies.
    package var adAttributionKit: Endpoint?
    /// `EligibleForAdAttributionKitReengagementPostbackCopies`: whether copies of re-engagements are sent, too.
    package var includesReengagements: Bool

    /// Asks for copies; for none unless told otherwise.
    package init(
        skAdNetwork: Endpoint? = nil,
        adAttributionKit: Endpoint? = nil,
        includesReengagements: Bool = false
    ) {
        self.skAdNetwork = skAdNetwork
        self.adAttributionKit = adAttributionKit
        self.includesReengagements = includesReengagements
    }

    /// Whether our server gets a copy of a postback: of those that won, from 2.0 on.
    package func reachUs(of postback: SimulatedPostback) -> Bool {
        guard postback.flags.contains(.didWin) else {
            return false
        }
        guard postback.version == .adAttributionKit else {
            return skAdNetwork == .ours && postback.version >= .v2_0
        }
        return adAttributionKit == .ours && (includesReengagements || postback.kind != .reengagement)
    }
}
