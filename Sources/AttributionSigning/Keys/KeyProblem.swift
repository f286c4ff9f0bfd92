package import Attribution

/// What is wrong with a key or a key file, and how to fix it.
package enum KeyProblem: Error, Hashable, Sendable {
    /// The file cannot be read.
    case unreadable(file: String, reason: String)
    /// The file to write exists; a key is never overwritten.
    case exists(file: String)
    /// The file cannot be written.
    case unwritable(file: String, reason: String)
    /// Other users can read the file.
    case openToOthers(file: String, mode: String)
    /// Other users can change the file, and with it whose signatures are made or trusted.
    case changeableByOthers(file: String, mode: String)
    /// The file belongs to another user, who can read and change it.
    case ownedByAnother(file: String, user: UInt32)
    /// The file has no private key on P-192 or P-256.
    case noPrivateKey(file: String, found: UnusableKey)
    /// The file has a public key where a private one is needed.
    case publicInsteadOfPrivate(file: String)
    /// The file of a key that an external signer signs with has the private half as well.
    case privateBesideSigner(file: String)
    /// The file has no key on P-192 or P-256.
    case noPublicKey(file: String, found: UnusableKey)
    /// A key on this curve cannot sign this version.
    case wrongCurve(SignatureCurve, version: SKAdNetworkVersion)
    /// A key on this curve cannot sign for AdAttributionKit.
    case wrongCurveForJWS(SignatureCurve)
    /// The two files have halves of different keys.
    case mismatched(privateFile: String, publicFile: String)
    /// The key list is invalid.
    case keySet(file: String, DocumentProblem)
    /// The list of keys that were added to Apple's is invalid.
    case appleKeys(file: String, DocumentProblem)
    /// The file of a key of Apple's has a private key, which only Apple has.
    case privateAmongApples(file: String)
    /// A key that was added to Apple's is also a trusted test key, whose postbacks must never count.
    case testKeyAmongApples(fingerprint: String)
    /// No active key in the list signs this version for this network.
    case noKey(adNetworkID: String, version: SKAdNetworkVersion)
    /// No active key in the list signs AdAttributionKit impressions for this network.
    case noAdAttributionKitKey(adNetworkID: String)
}

extension KeyProblem: CodedError, CustomStringConvertible {
    package var code: ErrorCode {
        switch self {
        case .unreadable: .unreadableFile
        case .exists: .fileExists
        case .unwritable: .unwritableFile
        case .openToOthers, .changeableByOthers, .ownedByAnother: .openToOthers
        case .noPrivateKey, .publicInsteadOfPrivate, .privateBesideSigner, .noPublicKey, .wrongCurve, .wrongCurveForJWS,
            .mismatched, .privateAmongApples, .testKeyAmongApples:
            .unusableKey
        case .keySet, .appleKeys: .malformedFile
        case .noKey, .noAdAttributionKitKey: .noKey
        }
    }

    package var description: String {
        switch self {
        case .unreadable(let file, let reason): "cannot read the key file \(file): \(reason)"
        case .exists(let file): "\(file) exists, and a key is never overwritten"
        case .unwritable(let file, let reason): "cannot write \(file): \(reason)"
        case .openToOthers(let file, let mode): "the private key \(file) can be read by others (mode \(mode))"
        case .changeableByOthers(let file, let mode):
            "\(file), which says whose signatures are made or trusted, can be changed by others (mode \(mode))"
        case .ownedByAnother(let file, let user):
            "the private key \(file) belongs to another user (uid \(user)), who can change it"
        case .noPrivateKey(let file, let found):
            found.description.map { "\(file) holds \($0), expected an unencrypted private key on P-256 or P-192" }
                ?? "\(file) holds no unencrypted private key on P-256 or P-192"
        case .publicInsteadOfPrivate(let file): "\(file) holds a public key; signing needs the private one"
        case .privateBesideSigner(let file):
            "\(file) holds a private key, but an external signer signs with it"
        case .noPublicKey(let file, let found):
            found.description.map { "\(file) holds \($0), expected a key on P-256 or P-192" }
                ?? "\(file) holds no key on P-256 or P-192"
        case .wrongCurve(let curve, let version):
            "a \(curve.displayName) key cannot sign version \(version.rawValue)"
        case .wrongCurveForJWS(let curve): "a \(curve.displayName) key cannot sign for AdAttributionKit"
        case .mismatched(let privateFile, let publicFile):
            "\(publicFile) is not the public half of \(privateFile)"
        case .keySet(let file, let problem): "the list of keys \(file): \(problem)"
        case .appleKeys(let file, let problem): "the list of Apple's keys \(file): \(problem)"
        case .privateAmongApples(let file):
            "\(file) holds a private key, and Apple's are known to Apple alone"
        case .testKeyAmongApples(let fingerprint):
            "the key SHA256:\(fingerprint) was added to Apple's and is trusted as a test key"
        case .noKey(let adNetworkID, let version):
            "no active key for \(adNetworkID) and version \(version.rawValue)"
        case .noAdAttributionKitKey(let adNetworkID):
            "no active key for \(adNetworkID) and AdAttributionKit"
        }
    }

    /// How to fix it.
    package var hint: String? {
        switch self {
        case .unreadable: "check the path and who may read it"
        case .exists: "choose another name, or move the old key first"
        case .unwritable: "check that the folder exists and can be written"
        case .openToOthers(let file, _): "chmod 600 \(file)"
        case .changeableByOthers(let file, _): "chmod go-w \(file)"
        case .ownedByAnother(let file, _): "chown it to the user that skan runs as: chown USER \(file)"
        case .noPrivateKey(let file, let found): found.cure(file: file, needsPrivate: true)
        case .publicInsteadOfPrivate: "name the file with its private half"
        case .privateBesideSigner: "name a file with the public key, and move the private one away"
        case .noPublicKey(let file, let found): found.cure(file: file, needsPrivate: false)
        case .wrongCurve, .wrongCurveForJWS:
            "P-192 keys sign 1.0 and 2.0 only; name the network's P-256 key"
        case .mismatched(let privateFile, _): "print the right one with: skan keys public \(privateFile)"
        case .keySet(_, let problem): problem.cure
        case .appleKeys(_, let problem): problem.cure
        case .privateAmongApples: "name a file with the public key that Apple published"
        case .testKeyAmongApples: "remove it from the one or the other: test postbacks must never count as Apple's"
        case .noKey: "add one with \"use\": \"active\" whose versions include it"
        case .noAdAttributionKitKey:
            "add one on P-256 with \"use\": \"active\" whose versions reach past 2.0, for example \"2.1-4.0\""
        }
    }
}
