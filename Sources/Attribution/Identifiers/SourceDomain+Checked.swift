import StrictJSON

extension SourceDomain {
    /// Whether it can be a domain: it has a dot and a letter, so that no number can pass for one.
    var isDomainName: Bool {
        var (hasDot, hasLetter) = (false, false)
        for byte in text.utf8 {
            hasDot = hasDot || byte == UInt8(ascii: ".")
            // A letter of any script: those beyond ASCII take several bytes, all of them from 0x80.
            hasLetter = hasLetter || byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        return hasDot && hasLetter
    }

    /// Accepts a domain alone, without scheme, port or path; its letters are left as they are.
    ///
    /// - Parameters:
    ///   - text: For example `example.com`.
    ///   - field: The name of the field it was found in.
    /// - Returns: The domain.
    /// - Throws: ``FieldProblem`` naming the field.
    static func checked(_ text: String, field: String) throws(FieldProblem) -> SourceDomain {
        let hasMore = text.utf8.contains { Array("/:@ ".utf8).contains($0) }
        guard let domain = SourceDomain(text), domain.isDomainName, !hasMore else {
            throw FieldProblem(
                field: field, found: "\"\(text.shortened(to: 60))\"",
                expected: "a domain alone of at most 255 bytes, for example example.com")
        }
        return domain
    }
}
