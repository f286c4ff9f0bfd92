import StrictJSON

/// `imp.ext.adattributionkit` of a bid request, which is a proposal and may change.
///
/// - SeeAlso: [The proposal](https://github.com/InteractiveAdvertisingBureau/openrtb/pull/209)
struct AdAttributionKitRequest: Hashable, Sendable {
    /// The version there is.
    static let version = "1.0"

    /// What the request wrote as its version.
    let writtenVersions: [String]
    /// `sourceapp`.
    let sourceAppID: AppStoreItemID
    /// `skadnetids`, with ids of both frameworks.
    let networks: ListedNetworks
    /// `ext.sko`: overlays are supported.
    let hasOverlay: Bool

    init(_ fields: RequestFields) throws(FieldProblem) {
        let versions = try fields.versions("versions")
        // A string in the proposal, a list in what some exchanges send.
        writtenVersions = versions.isEmpty ? try fields.oneOrMoreVersions("version") : versions
        guard let sourceApp = try fields.sourceApp("sourceapp") else {
            throw fields.problem("sourceapp", found: "nothing", expected: "the App Store id of the app with the ad")
        }
        sourceAppID = sourceApp
        networks = try ListedNetworks(fields)
        hasOverlay = try fields.object("ext")?.flag("sko") ?? false
    }
}
