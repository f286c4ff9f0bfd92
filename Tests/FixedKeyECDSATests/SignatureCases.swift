import FixedKeyECDSA

/// Makes genuine and mutated signatures from a seed.
struct SignatureCases {
    /// The points of the keys, which cases refer to by index.
    let keys: [[UInt8]]
    private let group: OpenSSLGroup
    private let genuine: [(key: Int, digest: [UInt8], r: Number, s: Number)]
    private let special: [Number]
    private var generator: SeededGenerator

    init(group: OpenSSLGroup, keyCount: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        self.group = group
        let n = group.order
        let secrets = (0..<keyCount).map { _ in generator.scalar(below: n) }
        keys = secrets.compactMap { group.sum($0) }
        genuine = (0..<keyCount * 64).compactMap { index in
            let (key, digest, k) = (index % keyCount, generator.bytes(32), generator.scalar(below: n))
            guard let point = group.sum(k) else { return nil }
            let r = group.x(of: point) % n
            let e = Number(bytes: Array(digest[..<group.curve.size]))
            return (key, digest, r, (e + r * secrets[key]) * k.inverse(modulo: n) % n)
        }
        let one = Number(1)
        special = [
            Number(0), one, Number(2), n - one, n, n + one, n - Number(2), group.prime, group.prime - one,
            group.prime - n, .powerOfTwo(8 * group.curve.size), .powerOfTwo(8 * group.curve.size) - one,
        ]
        self.generator = generator
    }

    /// The next case; about one in four verifies.
    mutating func next() -> SignatureCase {
        let base = genuine[Int.random(in: 0..<genuine.count, using: &generator)]
        let n = group.order
        switch Int.random(in: 0..<20, using: &generator) {
        case 0, 1, 2: return sound("genuine", base.key, base.digest, base.r, base.s)
        case 3, 4: return sound("s negated", base.key, base.digest, base.r, n - base.s)
        case 5: return sound("r and s swapped", base.key, base.digest, base.s, base.r)
        case 6: return sound("special r", base.key, base.digest, specialNumber(), base.s)
        case 7: return sound("special s", base.key, base.digest, base.r, specialNumber())
        case 8: return sound("special r and s", base.key, base.digest, specialNumber(), specialNumber())
        case 9: return sound("bit of r", base.key, base.digest, flipped(base.r), base.s)
        case 10: return sound("bit of s", base.key, base.digest, base.r, flipped(base.s))
        case 11: return sound("r plus n", base.key, base.digest, base.r + n, base.s)
        case 12: return sound("s plus n", base.key, base.digest, base.r, base.s + n)
        case 13: return sound("bit of digest", base.key, flipped(base.digest), base.r, base.s)
        case 14: return sound("special digest", base.key, specialDigest(), base.r, base.s)
        case 15: return sound("other key", (base.key + 1) % keys.count, base.digest, base.r, base.s)
        case 16:
            let (r, s) = (generator.scalar(below: n), generator.scalar(below: n))
            return sound("random r and s", base.key, generator.bytes(32), r, s)
        case 17:
            let der = DERWriter.signature(base.r, base.s)
            let cut = Array(der[..<Int.random(in: 0..<der.count, using: &generator)])
            return SignatureCase(kind: "cut short", key: base.key, digest: base.digest, der: cut)
        case 18:
            let der = flipped(DERWriter.signature(base.r, base.s))
            return SignatureCase(kind: "bit of DER", key: base.key, digest: base.digest, der: der)
        default:
            return SignatureCase(
                kind: "mangled DER", key: base.key, digest: base.digest, der: mangled(base.r, base.s))
        }
    }

    private func sound(_ kind: String, _ key: Int, _ digest: [UInt8], _ r: Number, _ s: Number) -> SignatureCase {
        SignatureCase(kind: kind, key: key, digest: digest, der: DERWriter.signature(r, s), numbers: (r, s))
    }

    private mutating func specialNumber() -> Number {
        if Bool.random(using: &generator) {
            return .powerOfTwo(Int.random(in: 0...8 * group.curve.size, using: &generator)) - Number(1)
        }
        return special[Int.random(in: 0..<special.count, using: &generator)]
    }

    private mutating func specialDigest() -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: 32 - group.curve.size)
        let choices = [
            [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xff, count: 32),
            group.order.bytes() + padding, (group.order - Number(1)).bytes() + padding,
            (group.order + Number(1)).bytes() + padding, Number(1).bytes(32), Number.powerOfTwo(255).bytes(32),
        ]
        return choices[Int.random(in: 0..<choices.count, using: &generator)]
    }

    private mutating func flipped(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        return bytes
    }

    private mutating func flipped(_ number: Number) -> Number {
        Number(bytes: flipped(number.bytes(group.curve.size)))
    }

    /// The numbers of a genuine signature in invalid DER.
    private mutating func mangled(_ r: Number, _ s: Number) -> [UInt8] {
        let (first, second) = (DERWriter.content(r), DERWriter.content(s))
        let (rField, sField) = (DERWriter.integer(first), DERWriter.integer(second))
        let zeros = [UInt8](repeating: 0, count: Int.random(in: 1...3, using: &generator))
        let whole = DERWriter.sequence(rField + sField)
        let content = UInt8(rField.count + sField.count)
        let choices = [
            whole + zeros,
            DERWriter.sequence(rField + sField + zeros),
            DERWriter.sequence(DERWriter.integer(zeros + first) + sField),
            DERWriter.sequence(rField + DERWriter.integer(zeros + second)),
            // Without the zero that keeps it positive; valid if none was needed.
            DERWriter.sequence(DERWriter.integer(r.bytes()) + DERWriter.integer(s.bytes())),
            DERWriter.sequence(DERWriter.integer([0xff] + first) + sField),
            DERWriter.sequence(DERWriter.integer([]) + sField),
            DERWriter.sequence(rField),
            DERWriter.sequence([]),
            [],
            [0x30, 0x81, content] + rField + sField,
            [0x30, 0x82, 0, content] + rField + sField,
            [0x30, 0x80] + rField + sField + [0, 0],
            [0x31, content] + rField + sField,
            DERWriter.sequence([0x02, 0x81, UInt8(first.count)] + first + sField),
            DERWriter.sequence([0x03, UInt8(first.count)] + first + sField),
            [0x30, content + 1] + rField + sField,
            [0x30, content - 1] + rField + sField,
            DERWriter.sequence(DERWriter.integer(first + [0]) + sField),
            DERWriter.sequence(rField + sField + sField),
        ]
        return choices[Int.random(in: 0..<choices.count, using: &generator)]
    }
}

/// A signature for both implementations to verify.
struct SignatureCase {
    /// How it was made.
    let kind: String
    let key: Int
    let digest: [UInt8]
    let der: [UInt8]
    /// r and s, if the DER is valid.
    var numbers: (r: Number, s: Number)?
}

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

extension FixedKeyVerifier {
    /// A verifier of every window width that adds one point at a time, and of every width one that adds eight, where the
    /// machine can.
    static func variants(_ publicKeys: [ECDSAPublicKey], windowWidths: [Int]) -> [FixedKeyVerifier] {
        [false, true].filter { !$0 || hasLanes }.flatMap { usesLanes in
            windowWidths.map { FixedKeyVerifier(publicKeys: publicKeys, windowWidth: $0, usesLanes: usesLanes) }
        }
    }
}
