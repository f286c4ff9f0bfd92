/// Where the ad was shown.
package enum PostbackSource: Hashable, Sendable {
    /// `source-app-id`, from 2.0; 0 for a development-signed app.
    case app(AppStoreItemID)
    /// `source-domain`, 4.0.
    case domain(SourceDomain)
}
