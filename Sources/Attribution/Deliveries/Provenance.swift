/// Whose key verified a postback.
package enum Provenance: String, CaseIterable, Hashable, Sendable {
    /// Apple's production key: a real install.
    case apple
    /// One of Apple's development keys: anyone with a device in Developer Mode can make such postbacks, for any app.
    case development
    /// A key from `--trust-test-key`.
    case test
}
