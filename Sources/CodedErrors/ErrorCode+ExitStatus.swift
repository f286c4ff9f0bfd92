extension ErrorCode {
    /// The exit status of a command: 1 if its input was read and rejected, 2 for any other error.
    package var exitStatus: Int32 {
        switch self {
        case .malformed, .unknownVersion, .nonceUnknown, .nonceUsed, .nonceExpired, .domainNotAllowed:
            1
        case .notJSON, .badField, .badUsage, .badConfiguration, .notFound, .methodNotAllowed, .unsupportedMediaType,
            .bodyTooLarge, .headTooLarge, .targetTooLong, .malformedRequest, .missingHost, .repeatedHost, .invalidHost,
            .ambiguousLength, .unsupportedTransferCoding, .unsupportedExpectation, .incompleteRequest, .deadlinePassed,
            .noToken, .malformedAuthorization, .unknownToken, .expiredToken, .outOfScope, .outOfNetwork,
            .foreignHost, .tooManyRequests, .noKey, .noCommonNetwork, .noCommonVersion, .tooLarge, .overloaded, .busy,
            .tooManyConnections, .unanswered, .tookTooLong, .quarantineFull, .undecided, .storeFailed, .noSigningKeys,
            .keyMissing, .signingFailed, .signerUnavailable,
            .notReady, .cancelled, .unreadableFile, .unwritableFile, .fileExists, .openToOthers, .malformedFile,
            .unusableKey, .unusableCertificate, .cannotListen, .limitReached, .noSuchToken, .noStore, .unusableStore,
            .storeInUse, .ownerUnreachable, .incompleteCopy, .unexpected:
            2
        }
    }
}
