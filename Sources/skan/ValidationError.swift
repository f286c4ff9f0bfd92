import CodedErrors

/// What is wrong with a combination of options, as `validate()` of a command throws it.
///
/// It has the name of ArgumentParser's type, which it replaces in this module: the parser's sentences are never shown,
/// and these must not be taken for one.
struct ValidationError: CodedError, CustomStringConvertible {
    let code = ErrorCode.badUsage
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
