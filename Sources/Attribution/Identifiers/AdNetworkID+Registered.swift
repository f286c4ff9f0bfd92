extension SignableText<AdNetworkIDKind> {
    /// The id in lower case, as it is registered: ids that differ only in case name one network.
    public var registered: String {
        text.lowercased()
    }
}
