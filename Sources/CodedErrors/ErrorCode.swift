/// What can go wrong, each with a stable code for programs; the texts beside a code may change.
///
/// The set is closed, so that the tables from codes to statuses are complete: a new code without a row does not compile.
package enum ErrorCode: String, CaseIterable, Hashable, Sendable {
    // MARK: What was sent or said

    /// The bytes are not one JSON object.
    case notJSON = "not-json"
    /// A field, parameter or option is unknown, missing, of the wrong kind or out of range.
    case badField = "bad-field"
    /// Fields of what a device sent are missing, of the wrong kind or out of range.
    case malformed
    /// A device speaks of a version that is not known here.
    case unknownVersion = "unknown-version"
    /// Words of a command line that do not go together, or name nothing.
    case badUsage = "bad-usage"
    /// Settings of a server that do not go together.
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

    // MARK: Understood, and impossible

    /// None of our keys signs what was asked for.
    case noKey = "no-key"
    /// None of our networks is in the source app's list.
    case noCommonNetwork = "no-common-network"
    /// No version is supported by the request, by a key and by what is advertised.
    case noCommonVersion = "no-common-version"
    /// An answer would have too many rows.
    case tooLarge = "too-large"
    case nonceUnknown = "nonce-unknown"
    case nonceUsed = "nonce-used"
    case nonceExpired = "nonce-expired"
    case domainNotAllowed = "domain-not-allowed"

    // MARK: Not now

    case overloaded
    case busy
    case tooManyConnections = "too-many-connections"
    /// The server did not decide in time, and may still do what was asked for.
    case unanswered
    /// Counting took longer than it may.
    case tookTooLong = "took-too-long"
    case quarantineFull = "quarantine-full"
    /// Whether a signature verifies could not be found out.
    case undecided
    /// The store cannot be read or written.
    case storeFailed = "store-failed"
    /// The server was started without keys to sign with.
    case noSigningKeys = "no-signing-keys"
    /// The key of a network that an ad was issued for is no longer there.
    case keyMissing = "key-missing"
    case signingFailed = "signing-failed"
    case notReady = "not-ready"
    /// Nobody waits for the answer any more.
    case cancelled

    // MARK: Files, stores and processes

    case unreadableFile = "unreadable-file"
    case unwritableFile = "unwritable-file"
    case fileExists = "file-exists"
    /// Others can read or change a secret.
    case openToOthers = "open-to-others"
    /// A file is not what it should hold.
    case malformedFile = "malformed-file"
    case unusableKey = "unusable-key"
    case unusableCertificate = "unusable-certificate"
    case cannotListen = "cannot-listen"
    case limitReached = "limit-reached"
    /// A list of tokens has none, or more than one, of a name.
    case noSuchToken = "no-such-token"
    case noStore = "no-store"
    case unusableStore = "unusable-store"
    case storeInUse = "store-in-use"
    /// The process that owns a store was not reached, or did not answer to the end.
    case ownerUnreachable = "owner-unreachable"
    case incompleteCopy = "incomplete-copy"
    /// Something that has no words of its own.
    case unexpected
}
