/// Whose key verified a postback, and so which numbers it may enter.
package enum Provenance: String, CaseIterable, Hashable, Sendable {
    /// Apple's key: a real install.
    case apple
    /// Apple's key for development: anyone with a device in Developer Mode makes such postbacks, naming any app.
    case development
    /// A key named by `--trust-test-key`: never counted among Apple's.
    case test
}
