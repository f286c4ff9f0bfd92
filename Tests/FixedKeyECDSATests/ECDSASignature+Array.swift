import FixedKeyECDSA

// `#expect` and `#require` capture their arguments, which a span does not allow: arrays instead.

extension ECDSASignature {
    init?(der: [UInt8], on curve: ECDSACurve) {
        self.init(der: der.span, on: curve)
    }

    init?(raw: [UInt8], on curve: ECDSACurve) {
        self.init(raw: raw.span, on: curve)
    }
}

extension ECDSAPublicKey {
    init(x963: [UInt8], on curve: ECDSACurve) throws(PublicKeyError) {
        try self.init(x963: x963.span, on: curve)
    }
}

extension MessageDigest {
    init(_ bytes: [UInt8]) {
        self.init(bytes.span)
    }
}
