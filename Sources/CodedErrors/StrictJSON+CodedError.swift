package import StrictJSON

extension JSONError: CodedError {
    package var code: ErrorCode { .notJSON }
}

extension FieldProblem: CodedError {
    package var code: ErrorCode { .badField }
}
