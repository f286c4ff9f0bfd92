import StrictJSON

/// `imp.ext.adattributionkit` of a bid request, which is a proposal and may change.
///
/// Earlier drafts answered `ext.sko` with an overlay. The latest does not, so it is not read.
///
/// - SeeAlso: [The proposal](https://github.com/InteractiveAdvertisingBureau/openrtb/pull/209)
struct AdAttributionKitRequest: Hashable, Sendable {
    /// The only version so far.
    static let version = "1.0"

    /// The versions as the request wrote them.
    let writtenVersions: [String]
    /// `sourceapp`.
    let sourceAppID: AppStoreItemID
    /// `skadnetids`, with ids of both frameworks.
    let networks: ListedNetworks

    init(_ fields: RequestFields) throws(FieldProblem) {
        let versions = try fields.versions("versions")
        // A string in the proposal; some exchanges send a list.
        writtenVersions = versions.isEmpty ? try fields.oneOrMoreVersions("version") : versions
        guard let sourceApp = try fields.sourceApp("sourceapp") else {
            throw fields.problem("sourceapp", found: "nothing", expected: "the App Store id of the app with the ad")
        }
        sourceAppID = sourceApp
        networks = try ListedNetworks(fields)
    }
}
