import COpenSSL

/// A natural number of any size, by OpenSSL.
final class Number {
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer?) {
        guard let pointer else { fatalError("OpenSSL is out of memory") }
        self.pointer = pointer
    }

    convenience init(bytes: [UInt8]) {
        self.init(owning: BN_bin2bn(bytes, Int32(bytes.count), nil))
    }

    convenience init(_ small: UInt64) {
        self.init(bytes: withUnsafeBytes(of: small.bigEndian) { Array($0) })
    }

    /// 2 to the power of `exponent`.
    static func powerOfTwo(_ exponent: Int) -> Number {
        let result = Number(0)
        BN_set_bit(result.pointer, Int32(exponent))
        return result
    }

    deinit { BN_free(pointer) }

    /// Big-endian, at least `size` bytes.
    func bytes(_ size: Int = 0) -> [UInt8] {
        let count = max(size, Int(BN_num_bits(pointer) + 7) / 8)
        var bytes = [UInt8](repeating: 0, count: count)
        BN_bn2binpad(pointer, &bytes, Int32(count))
        return bytes
    }

    var isZero: Bool { BN_is_zero(pointer) == 1 }

    func inverse(modulo modulus: Number) -> Number {
        Self.compute { BN_mod_inverse($0, self.pointer, modulus.pointer, $1) == nil ? 0 : 1 }
    }

    static func + (left: Number, right: Number) -> Number {
        compute { result, _ in BN_add(result, left.pointer, right.pointer) }
    }

    static func - (left: Number, right: Number) -> Number {
        compute { result, _ in BN_sub(result, left.pointer, right.pointer) }
    }

    static func * (left: Number, right: Number) -> Number {
        compute { BN_mul($0, left.pointer, right.pointer, $1) }
    }

    static func % (left: Number, right: Number) -> Number {
        compute { BN_nnmod($0, left.pointer, right.pointer, $1) }
    }

    static func < (left: Number, right: Number) -> Bool {
        BN_cmp(left.pointer, right.pointer) < 0
    }

    private static func compute(_ operation: (OpaquePointer, OpaquePointer?) -> Int32) -> Number {
        let result = Number(owning: BN_new())
        let context = BN_CTX_new()
        defer { BN_CTX_free(context) }
        guard operation(result.pointer, context) == 1 else { fatalError("OpenSSL does not compute") }
        return result
    }
}

extension [UInt8] {
    /// Reads pairs of hexadecimal digits.
    init(hex: String) {
        let digits = hex.compactMap { $0.hexDigitValue }
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// The SHA-256 digest.
    var sha256: [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(self, count, &digest, nil, EVP_sha256(), nil)
        return digest
    }
}

/// Valid and invalid signatures in DER.
enum DERWriter {
    /// `SEQUENCE { r, s }` of two non-negative numbers.
    static func signature(_ r: Number, _ s: Number) -> [UInt8] {
        sequence(integer(content(r)) + integer(content(s)))
    }

    static func sequence(_ content: [UInt8]) -> [UInt8] { [0x30] + length(content.count) + content }

    static func integer(_ content: [UInt8]) -> [UInt8] { [0x02] + length(content.count) + content }

    /// The shortest two's complement form.
    static func content(_ number: Number) -> [UInt8] {
        let bytes = number.bytes(1)
        return bytes[0] >= 0x80 ? [0] + bytes : bytes
    }

    static func length(_ count: Int) -> [UInt8] {
        switch count {
        case ..<0x80: [UInt8(count)]
        case ..<0x100: [0x81, UInt8(count)]
        default: [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
        }
    }
}

/// A random number generator that is determined by its seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
    }

    /// A number in 1…order−1.
    mutating func scalar(below order: Number) -> Number {
        Number(bytes: bytes(40)) % (order - Number(1)) + Number(1)
    }
}
