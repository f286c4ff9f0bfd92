import AttributionAccess

extension String {
    /// The text without tokens, addresses of databases that hold a password, and the user and password of other URLs.
    ///
    /// No command takes these where they would be quoted; this is for one that was typed where something else is
    /// expected, such as a word too many, and is quoted as typed.
    var withoutSecrets: String {
        withoutTokens
            // A shortened text may end before the @.
            .replacing(/postgres(?:ql)?:\/\/\S*(?::\S*[@…]|password=)\S*/, with: "postgresql://…")
            // From the slashes on: to look for a scheme before them would take the square of a text's length.
            .replacing(/:\/\/[^\s@]+@/, with: "://…@")
    }
}
