/// Whose key verified a postback, and so which numbers it may enter.
public enum Provenance: String, CaseIterable, Hashable, Sendable {
    /// Apple's key: a real install.
    case apple
    /// A key named by `--trust-test-key`: never counted among Apple's.
    case test
}
