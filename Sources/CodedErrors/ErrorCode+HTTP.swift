extension ErrorCode {
    /// The HTTP status of a response with this code (RFC 9110).
    ///
    /// 400 means that the request cannot be read, 422 that it was understood but cannot be fulfilled, and 503 that it
    /// cannot be answered now. A device repeats a postback after any status except 200.
    package var httpStatus: Int {
        switch self {
        case .notJSON, .badField, .malformed, .badUsage, .badConfiguration,
            .malformedRequest, .missingHost, .repeatedHost, .invalidHost, .ambiguousLength,
            .unsupportedTransferCoding, .incompleteRequest:
            400
        // RFC 6750, section 3.1.
        case .malformedAuthorization: 400
        case .noToken, .unknownToken, .expiredToken: 401
        case .outOfScope, .outOfNetwork, .foreignHost, .domainNotAllowed: 403
        case .notFound, .nonceUnknown: 404
        case .methodNotAllowed: 405
        case .deadlinePassed: 408
        case .nonceUsed: 409
        case .nonceExpired: 410
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unsupportedMediaType: 415
        case .unsupportedExpectation: 417
        case .noKey, .noCommonNetwork, .noCommonVersion, .tooLarge, .unknownVersion, .noSuchToken:
            422
        // RFC 6585, sections 4 and 5.
        case .tooManyRequests: 429
        case .headTooLarge: 431
        // Not a registered status; seen by a client that only ended its sending, which looks as if it were gone.
        case .cancelled: 499
        // A fault of the machine or of a signer, not of the load.
        case .signingFailed: 500
        case .overloaded, .busy, .tooManyConnections, .unanswered, .tookTooLong, .quarantineFull, .undecided,
            .storeFailed, .noSigningKeys, .keyMissing, .signerUnavailable, .notReady:
            503
        // Not expected while answering a request; if one occurs, the operator has to act.
        case .unreadableFile, .unwritableFile, .fileExists, .openToOthers, .malformedFile, .unusableKey,
            .unusableCertificate, .cannotListen, .limitReached, .noStore, .unusableStore, .storeInUse,
            .ownerUnreachable, .incompleteCopy, .unexpected:
            503
        }
    }

    /// How long a client should wait before repeating the request; never nil for 503.
    package var retryAfter: Duration? {
        switch self {
        // These pass by themselves within moments.
        case .overloaded, .tooManyConnections, .notReady, .signerUnavailable, .tooManyRequests: .seconds(1)
        case .busy: .seconds(5)
        // The operator has to add keys.
        case .noSigningKeys, .keyMissing: .seconds(60)
        // The budget for unknown versions and keys is hourly.
        case .quarantineFull: .seconds(3_600)
        default: httpStatus == 503 ? .seconds(30) : nil
        }
    }
}
