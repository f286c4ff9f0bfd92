import COpenSSL
import FixedKeyECDSA

/// An OpenSSL key, to check every verdict.
final class OpenSSLKey {
    let curve: ECDSACurve
    /// The public point, uncompressed.
    let point: [UInt8]
    private let key: OpaquePointer

    /// A public key, `nil` if OpenSSL refuses it.
    init?(point: [UInt8], on curve: ECDSACurve) {
        self.curve = curve
        self.point = point
        let info = curve.publicKeyInfoPrefix + point
        var start: UnsafePointer<UInt8>?
        let read = info.withUnsafeBufferPointer { info in
            start = info.baseAddress
            return d2i_PUBKEY(nil, &start, info.count)
        }
        guard let read else { return nil }
        key = read
    }

    deinit { EVP_PKEY_free(key) }

    /// The same key for the verifier.
    var publicKey: ECDSAPublicKey {
        get throws { try ECDSAPublicKey(x963: point, on: curve) }
    }

    /// OpenSSL's verdict; an unreadable signature does not verify.
    func verifies(_ signature: [UInt8], of digest: [UInt8]) -> Bool {
        let context = EVP_PKEY_CTX_new(key, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_PKEY_verify_init(context) == 1
            && EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }
}

/// The points of a curve, by OpenSSL, to make keys and signatures from chosen numbers.
final class OpenSSLGroup {
    let curve: ECDSACurve
    /// The order n.
    let order: Number
    /// The prime p.
    let prime: Number
    private let group: OpaquePointer

    init(_ curve: ECDSACurve) {
        guard let group = EC_GROUP_new_by_curve_name(curve.nid) else { fatalError("OpenSSL lacks \(curve)") }
        self.group = group
        self.curve = curve
        (order, prime) = (Number(0), Number(0))
        EC_GROUP_get_order(group, order.pointer, nil)
        EC_GROUP_get_curve(group, prime.pointer, nil, nil, nil)
    }

    deinit { EC_GROUP_free(group) }

    /// `g` times the generator plus `factor` times `point`, uncompressed; `nil` for infinity.
    func sum(_ g: Number, _ point: [UInt8]? = nil, times factor: Number? = nil) -> [UInt8]? {
        let (result, other) = (EC_POINT_new(group), EC_POINT_new(group))
        defer {
            EC_POINT_free(result)
            EC_POINT_free(other)
        }
        if let point {
            EC_POINT_oct2point(group, other, point, point.count, nil)
        }
        EC_POINT_mul(group, result, g.pointer, point == nil ? nil : other, factor?.pointer, nil)
        return bytes(of: result)
    }

    /// A point with this x, `nil` if the curve has none.
    func point(x: Number) -> [UInt8]? {
        let result = EC_POINT_new(group)
        defer {
            EC_POINT_free(result)
            ERR_clear_error()
        }
        guard EC_POINT_set_compressed_coordinates(group, result, x.pointer, 0, nil) == 1 else { return nil }
        return bytes(of: result)
    }

    /// The x of an uncompressed point.
    func x(of point: [UInt8]) -> Number {
        Number(bytes: Array(point[1...curve.size]))
    }

    private func bytes(of point: OpaquePointer?) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 + 2 * curve.size)
        let count = EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
        return count == bytes.count ? bytes : nil
    }
}

extension ECDSACurve {
    var nid: Int32 { self == .p256 ? NID_X9_62_prime256v1 : NID_X9_62_prime192v1 }

    /// Bytes of a number modulo n or p.
    var size: Int { self == .p256 ? 32 : 24 }

    /// The bytes before the point in a SubjectPublicKeyInfo.
    var publicKeyInfoPrefix: [UInt8] {
        let algorithm: [UInt8] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
        let named: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, self == .p256 ? 0x07 : 0x01]
        let identifier = [0x30, UInt8(algorithm.count + named.count)] + algorithm + named
        let bits = [0x03, UInt8(2 * size + 2), 0x00]
        return [0x30, UInt8(identifier.count + bits.count + 2 * size + 1)] + identifier + bits
    }
}
