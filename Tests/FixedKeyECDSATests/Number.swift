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
