package import CodedErrors

extension KeyProblem: CodedError {
    /// The stable code.
    package var code: ErrorCode {
        switch self {
        case .unreadable: .unreadableFile
        case .exists: .fileExists
        case .unwritable: .unwritableFile
        case .openToOthers, .ownedByAnother: .openToOthers
        case .noPrivateKey, .publicInsteadOfPrivate, .privateBesideSigner, .noPublicKey, .wrongCurve, .wrongCurveForJWS,
            .mismatched:
            .unusableKey
        case .keySet: .malformedFile
        case .noKey, .noAdAttributionKitKey: .noKey
        }
    }
}
