package import CodedErrors

/// Why a file cannot be imported, and what to do.
package struct ImportFailure: CodedError, Hashable {
    package let code: ErrorCode
    package let message: String
    package let hint: String?

    init(_ message: String, code: ErrorCode = .malformedFile, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    init(_ refusal: Refusal) {
        self.init(refusal.message, code: refusal.code, hint: refusal.hint)
    }
}
