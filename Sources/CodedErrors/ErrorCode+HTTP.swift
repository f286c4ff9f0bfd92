/// The one table from codes to HTTP statuses, for every listener.
extension ErrorCode {
    /// The status of an answer with this code, RFC 9110.
    ///
    /// 400 is for what cannot be read, 422 for what was understood and is impossible here, and 503 for what cannot be
    /// answered now. A device repeats a postback after any status but 200.
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
        // Registered nowhere, and never read: the client has gone. It is for the metrics.
        case .cancelled: 499
        case .overloaded, .busy, .tooManyConnections, .unanswered, .tookTooLong, .quarantineFull, .undecided,
            .storeFailed,
            .noSigningKeys, .keyMissing, .signingFailed, .notReady:
            503
        // Not met while a request is answered; if one is, an operator has to look.
        case .unreadableFile, .unwritableFile, .fileExists, .openToOthers, .malformedFile, .unusableKey,
            .unusableCertificate, .cannotListen, .limitReached, .noStore, .unusableStore, .storeInUse,
            .ownerUnreachable, .incompleteCopy, .unexpected:
            503
        }
    }

    /// After how long the same request may be sent again, where it may: with 503 always.
    package var retryAfter: Duration? {
        switch self {
        // What passes by itself within moments.
        case .overloaded, .tooManyConnections, .notReady, .tooManyRequests: .seconds(1)
        case .busy: .seconds(5)
        // What an operator adds.
        case .noSigningKeys, .keyMissing: .seconds(60)
        // The room for versions not known yet is made hour by hour.
        case .quarantineFull: .seconds(3_600)
        default: httpStatus == 503 ? .seconds(30) : nil
        }
    }
}
