extension SourceDomain {
    /// Accepts a domain alone, without scheme, port or path; its letters are left as they are.
    ///
    /// - Parameters:
    ///   - text: For example `example.com`.
    ///   - field: The name of the field it was found in.
    /// - Returns: The domain.
    /// - Throws: ``FieldProblem`` naming the field.
    static func checked(_ text: String, field: String) throws(FieldProblem) -> SourceDomain {
        let hasMore = text.utf8.contains { Array("/:@ ".utf8).contains($0) }
        guard let domain = SourceDomain(text), text.contains("."), !hasMore else {
            throw FieldProblem(
                field: field, found: "\"\(text.shortened(to: 60))\"",
                expected: "a domain alone of at most 255 bytes, for example example.com")
        }
        return domain
    }
}
