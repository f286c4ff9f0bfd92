import Attribution
import COpenSSL
import StrictJSON

/// What a file or a text has in place of a key on P-256 or P-192, and the command that gives what is needed.
package enum UnusableKey: Hashable, Sendable {
    /// Nothing that is known.
    case nothing
    /// No bytes but white space.
    case empty
    /// A private key that needs a passphrase; `isBase64` without the lines of PEM, which OpenSSL's commands need.
    case encrypted(isBase64: Bool)
    /// A key of another algorithm or on another curve.
    case otherKey(String, isPrivate: Bool)
    case certificate
    case certificateRequest
    /// PKCS#12.
    case archive
    /// The format of ssh-keygen.
    case openSSH
    /// A curve's parameters alone.
    case curveParameters
    /// A block of PEM with this label that does not hold what the label says.
    case damaged(label: String)
    /// A JWK that lacks a coordinate or the private number, or has one of another length.
    case incompleteJWK
    /// A JWK whose `x` and `y` are not the public half of its `d`.
    case mismatchedJWK
    /// A JWK set with another number of keys than one.
    case jwkSet(count: Int)

    /// Whether it is a secret, or may be one.
    var isSecret: Bool {
        switch self {
        case .encrypted, .archive, .openSSH, .mismatchedJWK: true
        case .otherKey(_, let isPrivate): isPrivate
        case .damaged(let label): label.contains("PRIVATE")
        default: false
        }
    }

    /// What was found, for messages; nil for nothing that is known.
    var description: String? {
        switch self {
        case .nothing: nil
        case .empty: nil
        case .encrypted: "an encrypted private key"
        case .otherKey(let name, let isPrivate): "a \(isPrivate ? "private" : "public") key of another kind (\(name))"
        case .certificate: "a certificate"
        case .certificateRequest: "a certificate request"
        case .archive: "a PKCS#12 archive"
        case .openSSH: "a key in OpenSSH's own format"
        case .curveParameters: "the parameters of a curve without a key"
        case .damaged(let label): "a damaged \(label.shortened(to: 40)) block"
        case .incompleteJWK: "an incomplete JWK"
        case .mismatchedJWK: "a JWK whose x and y are not the public half of its d"
        case .jwkSet(let count): "a JWK set of \(count) keys"
        }
    }

    /// What to do; never to make a new key, because the old one may be registered with Apple.
    func cure(file: String, needsPrivate: Bool) -> String {
        let file = file.contains(" ") ? "FILE" : file
        switch self {
        case .nothing:
            return needsPrivate
                ? "name the file with the network's private key, in PEM, DER, base64 or JWK"
                : "name a file with a key in PEM, DER, base64 or JWK"
        case .empty: return "it is empty: restore the key from where it is kept"
        case .encrypted(let isBase64):
            let source =
                isBase64
                ? "tr -d '\\n' < \(file) | openssl base64 -d -A | openssl pkey" : "openssl pkey -in \(file)"
            return "decrypt it with its passphrase: \(source) -out decrypted.pem"
        case .otherKey(_, let isPrivate):
            return "no key can be moved to another curve: name the one whose public half Apple has; "
                + "openssl pkey \(isPrivate ? "" : "-pubin ")-in \(file) -pubout prints this one's, to compare"
        case .certificate, .certificateRequest:
            let command =
                self == .certificate
                ? "openssl x509 -in \(file) -noout -pubkey"
                : "openssl req -in \(file) -noout -pubkey (with -inform DER if it is binary)"
            return needsPrivate
                ? "name the file of the private key it was made with; its public half: \(command)"
                : "print its public key with: \(command)"
        case .archive:
            return needsPrivate
                ? "take the private key out: openssl pkcs12 -in \(file) -nocerts -nodes -out decrypted.pem"
                : "print its public key with: openssl pkcs12 -in \(file) -clcerts -nokeys | openssl x509 -noout -pubkey"
        case .openSSH:
            return needsPrivate
                ? "convert a copy of it: ssh-keygen -p -N '' -m PKCS8 -f COPY"
                : "ssh-keygen -e -m PKCS8 -f \(file) prints the public key in PEM"
        case .curveParameters: return "openssl ecparam wrote only the curve into it: name the file with the key itself"
        case .damaged:
            return "copy it again, whole, from where it is kept; openssl pkey -in \(file) -noout says what is wrong"
        case .incompleteJWK:
            return "export it again, with x, y\(needsPrivate ? " and d" : "") of the curve's whole length in base64url"
        case .mismatchedJWK: return "export it again: one of its members is from another key"
        case .jwkSet: return "write the object of the one key to a file of its own"
        }
    }
}

/// The keys in a file or a text, in the forms that people have: PEM, also with its line breaks lost or written as `\n`,
/// DER, base64 of either, and JWK.
///
/// OpenSSL reads the keys; this only finds where they are.
package struct KeyMaterial {
    /// The first private key on P-256 or P-192.
    private(set) var privateKey: ECKeyObject?
    /// The first public key on P-256 or P-192 that is there without its private half.
    private(set) var publicKey: ECKeyObject?
    /// What is there if neither is.
    private(set) var unusable = UnusableKey.nothing

    /// Whether it has a secret, usable or not, or may have one.
    package private(set) var hasSecret = false

    /// Looks for keys.
    package init(reading bytes: [UInt8]) {
        defer { ERR_clear_error() }
        read(bytes)
    }

    private mutating func read(_ bytes: [UInt8], isDecoded: Bool = false) {
        guard !bytes.allSatisfy(Self.isSpace) else {
            unusable = .empty
            return
        }
        guard let text = Self.text(bytes) else {
            read(der: bytes)
            return
        }
        guard !readPEM(text), !readJWK(text) else {
            return
        }
        let quotes = Array("\"'".utf8)
        let inner = text.utf8.filter { !quotes.contains($0) }
        guard !isDecoded, let decoded = Self.base64(inner) else {
            read(der: bytes)
            return
        }
        read(decoded, isDecoded: true)
        if case .encrypted = unusable {
            unusable = .encrypted(isBase64: true)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// The text of UTF-8, or of UTF-16 with its mark, as PowerShell writes it; nil for other bytes.
    private static func text(_ bytes: [UInt8]) -> String? {
        guard !bytes.starts(with: [0xFF, 0xFE]) else {
            let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
                UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
            }
            return String(decoding: units, as: UTF16.self)
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return String(validating: bytes.starts(with: mark) ? bytes[3...] : bytes[...], as: UTF8.self)
    }

    /// Reads base64 or base64url, with or without padding and line breaks; nil for anything else.
    private static func base64(_ text: some Collection<UInt8>) -> [UInt8]? {
        let digits = text.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: isSpace(byte) ? nil : byte
            }
        }
        return digits.isEmpty ? nil : Base64URL.decode(digits)
    }

    // MARK: PEM

    /// Reads every block of PEM; false if there is none.
    private mutating func readPEM(_ text: String) -> Bool {
        var rest = text.replacing("\\r", with: "").replacing("\\n", with: "\n").replacing("\\/", with: "/")[...]
        var hasBlock = false
        while let begin = rest.firstRange(of: "-----BEGIN ") {
            hasBlock = true
            rest = rest[begin.upperBound...]
            guard let dashes = rest.firstRange(of: "-----") else {
                break
            }
            let label = String(rest[..<dashes.lowerBound])
            rest = rest[dashes.upperBound...]
            let end = rest.firstRange(of: "-----END \(label)-----")
            read(block: end.map { rest[..<$0.lowerBound] }, label: label)
            rest = rest[(end?.upperBound ?? rest.startIndex)...]
        }
        return hasBlock
    }

    private mutating func read(block: Substring?, label: String) {
        switch label {
        case "ENCRYPTED PRIVATE KEY": note(.encrypted(isBase64: false))
        case "OPENSSH PRIVATE KEY": note(.openSSH)
        case "EC PARAMETERS": note(.curveParameters)
        case _ where block?.contains("ENCRYPTED") == true && block?.contains("Proc-Type") == true:
            note(.encrypted(isBase64: false))
        default:
            if let der = block.flatMap({ Self.base64($0.utf8) }), read(der: der) {
                return
            }
            note(.damaged(label: label))
        }
    }

    /// Notes what is there instead of a key; parameters alone say less than anything else does.
    private mutating func note(_ found: UnusableKey) {
        hasSecret = hasSecret || found.isSecret
        if unusable == .nothing || unusable == .curveParameters {
            unusable = found
        }
    }

    // MARK: DER

    /// Reads a key in DER, or notes what else it is; false if it is neither.
    @discardableResult
    private mutating func read(der: [UInt8]) -> Bool {
        if let key = Self.decode(der, { d2i_PUBKEY(nil, $0, $1) }) {
            note(key, isPrivate: false)
        } else if let key = Self.decode(der, { d2i_AutoPrivateKey(nil, $0, $1) }) {
            note(key, isPrivate: true)
        } else if Self.decodes(der, { d2i_X509(nil, $0, $1) }, X509_free) {
            note(.certificate)
        } else if Self.decodes(der, { d2i_X509_REQ(nil, $0, $1) }, X509_REQ_free) {
            note(.certificateRequest)
        } else if Self.decodes(der, { d2i_X509_SIG(nil, $0, $1) }, X509_SIG_free) {
            note(.encrypted(isBase64: false))
        } else if Self.isArchive(der) {
            note(.archive)
        } else {
            return false
        }
        return true
    }

    private typealias Cursor = UnsafeMutablePointer<UnsafePointer<UInt8>?>

    private static func decode(_ der: [UInt8], _ decoder: (Cursor, Int) -> OpaquePointer?) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return decoder(&cursor, buffer.count)
        }
    }

    private static func decodes(
        _ der: [UInt8], _ decoder: (Cursor, Int) -> OpaquePointer?, _ free: (OpaquePointer?) -> Void
    ) -> Bool {
        let object = decode(der, decoder)
        free(object)
        return object != nil
    }

    /// Whether bytes begin as PKCS#12 does: a sequence whose first member is the number 3.
    private static func isArchive(_ der: [UInt8]) -> Bool {
        guard der.count > 8, der[0] == 0x30 else {
            return false
        }
        let header = der[1] < 0x80 ? 2 : 2 + Int(der[1] & 0x7F)
        return der.dropFirst(header).starts(with: [0x02, 0x01, 0x03, 0x30])
    }

    private mutating func note(_ handle: OpaquePointer, isPrivate: Bool) {
        hasSecret = hasSecret || isPrivate
        let name = Self.name(of: handle)
        guard let key = ECKeyObject(owning: handle) else {
            return note(.otherKey(name, isPrivate: isPrivate))
        }
        if isPrivate {
            privateKey = privateKey ?? key
        } else {
            publicKey = publicKey ?? key
        }
    }

    /// The curve of a key, or its algorithm, as people call it.
    private static func name(of handle: OpaquePointer) -> String {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(handle, &name, name.count, &length) == 1 else {
            return EVP_PKEY_get0_type_name(handle).map { String(cString: $0) } ?? "unknown"
        }
        let group = String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return ["secp224r1": "P-224", "secp384r1": "P-384", "secp521r1": "P-521"][group] ?? group
    }

    // MARK: JWK

    /// Reads a JWK, or a set of one; false if the text is not one.
    ///
    /// - SeeAlso: RFC 7517; RFC 7518, section 6.2
    private mutating func readJWK(_ text: String) -> Bool {
        guard var object = try? JSONObject(reading: Array(text.utf8), limit: KeyFile.maximumSize) else {
            return false
        }
        if object["kty"] == nil, let keys = object["keys"]?.elements() {
            guard keys.count == 1, case .nested(let key)? = keys.first,
                let only = try? JSONObject(reading: Array(key.utf8), limit: KeyFile.maximumSize)
            else {
                hasSecret = keys.contains {
                    guard case .nested(let key) = $0 else { return false }
                    return (try? JSONObject(reading: Array(key.utf8), limit: KeyFile.maximumSize))?.has("d") ?? true
                }
                note(.jwkSet(count: keys.count))
                return true
            }
            object = only
        }
        guard case .string(let type)? = object["kty"] else {
            return false
        }
        let isPrivate = object.has("d")
        hasSecret = hasSecret || isPrivate
        guard case .string(let name)? = object["crv"],
            let curve = SignatureCurve.allCases.first(where: {
                $0.displayName == name
            })
        else {
            if case .string(let name)? = object["crv"] {
                note(.otherKey(name, isPrivate: isPrivate))
            } else {
                note(.otherKey(type, isPrivate: isPrivate))
            }
            return true
        }
        let size = curve == .p256 ? 32 : 24
        func number(_ name: String) -> [UInt8]? {
            guard case .string(let text)? = object[name], let bytes = Self.base64(text.utf8), bytes.count <= size else {
                return nil
            }
            // Some exporters drop leading zeros.
            return [UInt8](repeating: 0, count: size - bytes.count) + bytes
        }
        guard let x = number("x"), let y = number("y"), !isPrivate || number("d") != nil else {
            note(.incompleteJWK)
            return true
        }
        let publicDER = Self.publicDER(curve, x: x, y: y)
        guard let d = number("d") else {
            if !read(der: publicDER) { note(.damaged(label: "JWK")) }
            return true
        }
        // Without the public half in it, OpenSSL computes that from the private one.
        guard read(der: Self.privateDER(curve, d: d)), let key = privateKey else {
            note(.damaged(label: "JWK"))
            return true
        }
        if (try? key.subjectPublicKeyInfo()) != publicDER {
            privateKey = nil
            note(.mismatchedJWK)
        }
        return true
    }

    /// The object identifier of a curve in DER (RFC 5480, section 2.1.1.1).
    private static func identifier(of curve: SignatureCurve) -> [UInt8] {
        [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, curve == .p256 ? 0x07 : 0x01]
    }

    /// A value of fewer than 128 bytes in DER, with its tag.
    private static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, UInt8(content.count)] + content
    }

    /// SubjectPublicKeyInfo (RFC 5480, section 2).
    private static func publicDER(_ curve: SignatureCurve, x: [UInt8], y: [UInt8]) -> [UInt8] {
        let algorithm: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01] + identifier(of: curve)
        return der(0x30, der(0x30, algorithm) + der(0x03, [0x00, 0x04] + x + y))
    }

    /// ECPrivateKey without its optional public half (RFC 5915, section 3).
    private static func privateDER(_ curve: SignatureCurve, d: [UInt8]) -> [UInt8] {
        der(0x30, [0x02, 0x01, 0x01] + der(0x04, d) + der(0xA0, identifier(of: curve)))
    }
}
