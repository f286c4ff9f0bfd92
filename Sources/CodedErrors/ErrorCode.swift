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
