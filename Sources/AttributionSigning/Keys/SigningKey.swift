package import Attribution

/// A key whose private half is with another process, which signs with it and is reached at a Unix socket.
package struct ExternalKey: Sendable {
    /// The path of the socket at which the signer listens.
    package let socket: String
    /// What the signer calls the key.
    package let id: String
    /// The public half, with which every signature is verified before it leaves.
    package let publicKey: SignaturePublicKey

    /// Names a key.
    package init(socket: String, id: String, publicKey: SignaturePublicKey) {
        self.socket = socket
        self.id = id
        self.publicKey = publicKey
    }

    /// The first 16 digits of the key's fingerprint, as metrics and logs name it.
    package var name: String { String(publicKey.fingerprint.prefix(16)) }
}

extension ExternalKey: Hashable {
    package static func == (one: ExternalKey, other: ExternalKey) -> Bool {
        one.socket == other.socket && one.id == other.id
            && one.publicKey.subjectPublicKeyInfo == other.publicKey.subjectPublicKeyInfo
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(socket)
        hasher.combine(id)
    }
}

/// What a network signs with.
package enum SigningKey: Sendable {
    /// A private key in this process.
    case own(NetworkPrivateKey)
    /// A key of an external signer.
    case external(ExternalKey)

    package var curve: SignatureCurve {
        switch self {
        case .own(let key): key.curve
        case .external(let key): key.publicKey.curve
        }
    }

    /// What it means if one of its signatures does not verify.
    var wrongSignature: any Error {
        switch self {
        case .own: SignerError.signatureDoesNotVerify
        case .external(let key): ExternalSignerError.wrongSignature(key: key.id)
        }
    }
}
