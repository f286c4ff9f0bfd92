import StrictJSON

/// `imp.ext.skadn` of a bid request: what the device, the SDK and the source app support.
///
/// - SeeAlso: [SKAdNetwork in
///   OpenRTB](https://github.com/InteractiveAdvertisingBureau/openrtb/blob/main/extensions/community_extensions/skadnetwork.md)
struct SkadnRequest: Hashable, Sendable {
    /// `versions`, or the older `version`; unknown ones are left out.
    let versions: [SKAdNetworkVersion]
    /// The versions as the request wrote them, for messages.
    let writtenVersions: String
    /// `sourceapp`.
    let sourceAppID: AppStoreItemID
    /// `skadnetids` and `skadnetlist`.
    let networks: ListedNetworks
    /// `productpage`: custom product pages are supported.
    let hasProductPages: Bool
    /// `skoverlay`: overlays are supported.
    let hasOverlay: Bool

    init(_ fields: RequestFields) throws(FieldProblem) {
        var written = try fields.versions("versions")
        if written.isEmpty, let single = try fields.version("version") {
            written = [single]
        }
        guard !written.isEmpty else {
            throw fields.problem("versions", found: "nothing", expected: "a list of versions, for example [\"4.0\"]")
        }
        writtenVersions = written.joined(separator: ", ").shortened(to: 60)
        // The extension begins with 2.0, the first version that signs the source app.
        versions = written.compactMap(SKAdNetworkVersion.init(rawValue:)).filter { $0 >= .v2_0 }
        guard let sourceApp = try fields.sourceApp("sourceapp") else {
            throw fields.problem("sourceapp", found: "nothing", expected: "the App Store id of the app with the ad")
        }
        sourceAppID = sourceApp
        networks = try ListedNetworks(fields)
        hasProductPages = try fields.flag("productpage")
        hasOverlay = try fields.flag("skoverlay")
    }
}
