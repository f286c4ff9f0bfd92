import Attribution
import COpenSSL

/// A digest and a signature over it, made without the private key, to compare two implementations.
struct SampleSignature {
    let digest: [UInt8]
    let signature: [UInt8]
    let isValid: Bool
}

extension SignaturePublicKey {
    /// Makes valid signatures under this key over random digests, and invalid ones by changing the digest.
    ///
    /// For any u and v, R = u·G + v·Q gives r = R.x, s = r/v and the digest e = u·s, which verify: s⁻¹·e = u and
    /// s⁻¹·r = v. This is not a forgery, because no message with that digest is known.
    ///
    /// - Returns: The samples, or nil if OpenSSL fails.
    func sampleSignatures(count: Int) -> [SampleSignature]? {
        let size = curve == .p256 ? 32 : 24
        let point = Array(subjectPublicKeyInfo.suffix(2 * size + 1))
        guard let group = EC_GROUP_new_by_curve_name(curve == .p256 ? NID_X9_62_prime256v1 : NID_X9_62_prime192v1),
            let context = BN_CTX_new(), let order = EC_GROUP_get0_order(group), let key = EC_POINT_new(group)
        else {
            return nil
        }
        defer {
            EC_POINT_free(key)
            BN_CTX_free(context)
            EC_GROUP_free(group)
        }
        guard EC_POINT_oct2point(group, key, point, point.count, context) == 1 else {
            return nil
        }
        var samples: [SampleSignature] = []
        for _ in 0..<count {
            guard let (digest, signature) = Self.sample(group, order, key, size, context) else {
                return nil
            }
            var changed = digest
            changed[0] ^= 1
            samples.append(SampleSignature(digest: digest, signature: signature, isValid: true))
            samples.append(SampleSignature(digest: changed, signature: signature, isValid: false))
        }
        return samples
    }

    private static func sample(
        _ group: OpaquePointer, _ order: OpaquePointer, _ key: OpaquePointer, _ size: Int, _ context: OpaquePointer
    ) -> (digest: [UInt8], signature: [UInt8])? {
        let numbers = (0..<6).map { _ in BN_new() }
        let (u, v, x, r, s, e) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
        guard numbers.allSatisfy({ $0 != nil }), let sum = EC_POINT_new(group), let pair = ECDSA_SIG_new() else {
            return nil
        }
        defer {
            numbers.forEach { BN_free($0) }
            EC_POINT_free(sum)
            ECDSA_SIG_free(pair)
        }
        guard BN_rand_range(u, order) == 1, BN_rand_range(v, order) == 1,
            EC_POINT_mul(group, sum, u, key, v, context) == 1,
            EC_POINT_get_affine_coordinates(group, sum, x, nil, context) == 1,
            BN_nnmod(r, x, order, context) == 1,
            let inverse = BN_mod_inverse(nil, v, order, context)
        else {
            return nil
        }
        defer { BN_free(inverse) }
        var digest = [UInt8](repeating: 0, count: 32)
        guard BN_mod_mul(s, r, inverse, order, context) == 1, BN_mod_mul(e, u, s, order, context) == 1,
            // The number is in the leftmost bits of the digest.
            BN_bn2binpad(e, &digest, Int32(size)) == Int32(size),
            ECDSA_SIG_set0(pair, BN_dup(r), BN_dup(s)) == 1
        else {
            return nil
        }
        var signature = [UInt8](repeating: 0, count: 128)
        let length = signature.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return i2d_ECDSA_SIG(pair, &cursor)
        }
        return length > 0 ? (digest, Array(signature.prefix(Int(length)))) : nil
    }
}
