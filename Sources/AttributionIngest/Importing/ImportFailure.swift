/// Why a file cannot be imported, and what to do.
package struct ImportFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package let description: String
    /// What to do, often a command; nil where the description says it.
    package let hint: String?

    init(_ description: String, hint: String? = nil) {
        self.description = description
        self.hint = hint
    }
}
