package import StrictJSON

extension String {
    /// The text without tokens, whole or cut off in their second half; for errors, which may quote what was typed.
    package var withoutTokens: String {
        replacing(/skan_[0-9a-f]{32,}…?/.ignoresCase(), with: AccessToken.prefix + "…")
    }

    /// Whether there is a token in it, whole or cut off.
    var holdsToken: Bool {
        withoutTokens != self
    }
}

extension FieldProblem {
    /// The problem without what was found, if that is a token where none should be.
    package var withoutTokens: FieldProblem {
        FieldProblem(
            field: field.withoutTokens, found: found.holdsToken ? "a token, which is not shown" : found,
            expected: expected)
    }
}
