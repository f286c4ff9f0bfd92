/// A stable code for everything that can go wrong; messages may change, codes do not.
package enum ErrorCode: String, CaseIterable, Hashable, Sendable {
    // MARK: Input

    /// The bytes are not one JSON object.
    case notJSON = "not-json"
    /// A field, parameter or option is unknown, missing, of the wrong type or out of range.
    case badField = "bad-field"
    /// Fields sent by a device are missing, of the wrong type or out of range.
    case malformed
    /// A device sent a version that this release does not know.
    case unknownVersion = "unknown-version"
    /// The arguments of a command are unknown or contradict each other.
    case badUsage = "bad-usage"
    /// The settings of a server contradict each other.
    case badConfiguration = "bad-configuration"

    // MARK: HTTP

    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case unsupportedMediaType = "unsupported-media-type"
    case bodyTooLarge = "body-too-large"
    case headTooLarge = "head-too-large"
    case targetTooLong = "target-too-long"
    case malformedRequest = "malformed-request"
    case missingHost = "missing-host"
    case repeatedHost = "repeated-host"
    case invalidHost = "invalid-host"
    case ambiguousLength = "ambiguous-length"
    case unsupportedTransferCoding = "unsupported-transfer-coding"
    case unsupportedExpectation = "unsupported-expectation"
    case incompleteRequest = "incomplete-request"
    /// The client did not send the request in time.
    case deadlinePassed = "deadline-passed"

    // MARK: Access

    case noToken = "no-token"
    case malformedAuthorization = "malformed-authorization"
    case unknownToken = "unknown-token"
    case expiredToken = "expired-token"
    case outOfScope = "out-of-scope"
    case outOfNetwork = "out-of-network"
    case outOfApp = "out-of-app"
    case foreignHost = "foreign-host"
    case tooManyRequests = "too-many-requests"

    // MARK: Cannot be fulfilled

    /// No signing key matches the request.
    case noKey = "no-key"
    /// None of our networks is in the source app's list.
    case noCommonNetwork = "no-common-network"
    /// No version is common to the request, the keys and the advertised item.
    case noCommonVersion = "no-common-version"
    /// The response would have too many rows.
    case tooLarge = "too-large"
    case nonceUnknown = "nonce-unknown"
    case nonceUsed = "nonce-used"
    case nonceExpired = "nonce-expired"
    case domainNotAllowed = "domain-not-allowed"

    // MARK: Temporarily unavailable

    case overloaded
    case busy
    case tooManyConnections = "too-many-connections"
    /// The server did not decide in time; it may still process the request.
    case unanswered
    /// A report took too long to count.
    case tookTooLong = "took-too-long"
    case quarantineFull = "quarantine-full"
    /// Verifying a signature failed without a result.
    case undecided
    /// The store cannot be read or written.
    case storeFailed = "store-failed"
    /// The server was started without signing keys.
    case noSigningKeys = "no-signing-keys"
    /// The key that an ad was issued for is no longer in the list.
    case keyMissing = "key-missing"
    case signingFailed = "signing-failed"
    /// The process that holds the network's key does not sign now.
    case signerUnavailable = "signer-unavailable"
    case notReady = "not-ready"
    /// The client is gone.
    case cancelled

    // MARK: Files, stores and processes

    case unreadableFile = "unreadable-file"
    case unwritableFile = "unwritable-file"
    case fileExists = "file-exists"
    /// Other users can read or change a secret.
    case openToOthers = "open-to-others"
    /// The content of a file is invalid.
    case malformedFile = "malformed-file"
    case unusableKey = "unusable-key"
    case unusableCertificate = "unusable-certificate"
    case cannotListen = "cannot-listen"
    case limitReached = "limit-reached"
    /// A token list has no token, or more than one, with a name.
    case noSuchToken = "no-such-token"
    case noStore = "no-store"
    case unusableStore = "unusable-store"
    case storeInUse = "store-in-use"
    /// The process that owns a store cannot be reached, or its answer was incomplete.
    case ownerUnreachable = "owner-unreachable"
    case incompleteCopy = "incomplete-copy"
    /// Any error without a code of its own.
    case unexpected
}

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
        case .outOfScope, .outOfNetwork, .outOfApp, .foreignHost, .domainNotAllowed: 403
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

extension ErrorCode {
    /// The exit status of a command: 1 if its input was read and rejected, 2 for any other error.
    package var exitStatus: Int32 {
        switch self {
        case .malformed, .unknownVersion, .nonceUnknown, .nonceUsed, .nonceExpired, .domainNotAllowed:
            1
        default:
            2
        }
    }
}
