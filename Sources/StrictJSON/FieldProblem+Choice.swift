extension CaseIterable where Self: RawRepresentable, RawValue == String {
    /// Finds a case by its name.
    ///
    /// - Parameters:
    ///   - name: The name as it was given.
    ///   - field: Where it was given.
    ///   - length: How much of the name an error shows.
    /// - Throws: ``FieldProblem`` with all names, and the nearest one for a name that is nearly right.
    package init(named name: String, in field: String, shownTo length: Int = 40) throws(FieldProblem) {
        guard let value = Self(rawValue: name) else {
            let known = Self.allCases.map(\.rawValue)
            throw FieldProblem(
                field: field, found: name.shortened(to: length),
                expected: "one of " + known.joined(separator: ", ") + known.suggestion(for: name))
        }
        self = value
    }
}
