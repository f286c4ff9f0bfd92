package import CodedErrors

extension AccessProblem: CodedError {
    /// The stable code.
    package var code: ErrorCode {
        switch self {
        case .unreadable: .unreadableFile
        case .openToOthers, .ownedByAnother: .openToOthers
        case .malformed: .malformedFile
        case .unwritable: .unwritableFile
        case .badName, .noScope, .scopeOfAllNetworks, .expiryPassed: .badField
        case .tooManyLive, .full: .limitReached
        case .unknown, .ambiguous: .noSuchToken
        }
    }
}
