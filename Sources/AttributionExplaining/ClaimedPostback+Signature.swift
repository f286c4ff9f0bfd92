import Attribution
import AttributionSigning
import StrictJSON

/// Repairs of the signature and of the name of its key.
extension ClaimedPostback {
    /// With the signature in every encoding that its text may mean.
    var withSignatureRespelled: [Repair] {
        if let jws {
            return Self.respellings(of: jws).map { condition, jws in
                var copy = self
                copy.jws = jws
                return Repair(.signatureEncoding, PostbackField.jwsString.rawValue, condition, copy)
            }
        }
        guard case .string(let text) = fields[.attributionSignature] else {
            return []
        }
        // Strict DER has no other reading, and looking at characters takes a while.
        if let bytes = Base64.decode(text), SignatureSpelling.der(bytes) == bytes {
            return []
        }
        let field = PostbackField.attributionSignature
        return SignatureSpelling.readings(of: text).flatMap { condition, bytes -> [Repair] in
            var repairs = [(condition, Optional(bytes))]
            repairs.append(
                (
                    bytes.first == 0x30 ? "in strict DER" : "in DER instead of r and s alone",
                    SignatureSpelling.der(bytes)
                ))
            return repairs.compactMap { condition, bytes in
                guard let bytes, Base64.encode(bytes) != text else {
                    return nil
                }
                return Repair(
                    .signatureEncoding, field.rawValue, "\(field.rawValue) were \(condition)",
                    with(field, .string(Base64.encode(bytes))))
            }
        }
    }

    /// What shows that the end of the signature is missing; nil for one that is whole, or no signature.
    var truncation: (field: PostbackField, evidence: String)? {
        if let jws {
            // 64 bytes have 86 digits in base64url.
            let digits = jws.respelled.text.utf8.split(separator: UInt8(ascii: ".")).last?.count ?? 0
            return digits < 86 && jws.signature?.first != 0x30
                ? (.jwsString, "it has \(digits) of 86 characters") : nil
        }
        guard case .string(let text) = fields[.attributionSignature],
            let bytes = SignatureSpelling.beginning(of: text), bytes.count >= 2, bytes[0] == 0x30, bytes[1] < 0x80,
            bytes.count < Int(bytes[1]) + 2
        else {
            return nil
        }
        return (
            .attributionSignature, "it says that it has \(Int(bytes[1]) + 2) bytes, of which \(bytes.count) are there"
        )
    }

    private static func respellings(of jws: ClaimedJWS) -> [(condition: String, jws: ClaimedJWS)] {
        let respelled = jws.respelled
        var repairs: [(condition: String, jws: ClaimedJWS)] = []
        if respelled.text != jws.text {
            repairs.append(("jws-string were in base64url without padding", respelled))
        }
        if let bytes = respelled.signature, bytes.count != 64,
            let raw = SignatureSpelling.concatenated(bytes, size: 32)
        {
            var copy = respelled
            copy.signature = raw
            repairs.append(("the signature of jws-string were r and s alone instead of DER", copy))
        }
        // Somebody decoded the payload and encoded it again.
        var compact = respelled
        compact.payload = respelled.payload
        if compact.text != respelled.text {
            repairs.append(("the payload of jws-string had no white space", compact))
        }
        return repairs
    }

    /// With every other `kid` in the header, which is signed with it.
    var underOtherKeyNames: [Repair] {
        guard let header = jws?.header, let name = Self.keyName(in: header) else {
            return []
        }
        return PostbackKeyID.known.flatMap { keyID -> [Repair] in
            // Apple escapes the slash.
            [keyID.rawValue, keyID.rawValue.replacing("/", with: "\\/")].compactMap { spelling in
                let other = header.replacing("\"\(name)\"", with: "\"\(spelling)\"")
                guard other != header else {
                    return nil
                }
                var copy = self
                copy.jws?.header = other
                if keyID.rawValue == name || keyID.rawValue == name.replacing("\\/", with: "/") {
                    return Repair(
                        .valueChanged, PostbackField.jwsString.rawValue, "the slash in kid were spelt as signed", copy)
                }
                return Repair(Self.cause(keyID), "kid", "kid were \(keyID.rawValue)", copy)
            }
        }
    }

    /// The name as it is spelt in the header.
    private static func keyName(in header: String) -> String? {
        guard let object = try? JSONObject(reading: header.utf8), case .string(let name) = object["kid"] else {
            return nil
        }
        return [name, name.replacing("/", with: "\\/")].first { header.contains("\"\($0)\"") }
    }

    /// Whose key it was, which is what happened: a postback of this key was sent as one of another.
    private static func cause(_ keyID: PostbackKeyID) -> ExplanationCause {
        keyID == .production ? .wrongKey : keyID == .test ? .testKey : .developmentKey
    }
}
