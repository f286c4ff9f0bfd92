import COpenSSL
import Hashing

/// Signs many digests with one key together.
///
/// Half of the time of a signature on P-256 goes into two inversions: of the nonce, and for the affine coordinates of its
/// point. Here all signatures share one of each.
///
/// All arithmetic with secrets is OpenSSL's, in constant time; ``SecretNumbers`` says how they are inverted. A nonce is
/// made as OpenSSL makes it, of randomness, the key and the digest together, and only lives during a call: it cannot be
/// used twice, not even by a copy of the process or of its machine.
package final class SharedInversions {
    /// The most digests that are signed together.
    ///
    /// As many as the signing listener signs in a turn; each takes some hundred bytes.
    package static let capacity = 256

    private let key: OpenSSLObject
    private let group: OpaquePointer
    private let order: OpaquePointer
    private let secret: OpaquePointer
    private let nonces: SecretNumbers
    /// The coordinates Z of the nonces' points, whose affine x is X / Z².
    private let denominators: SecretNumbers
    /// The coordinates X.
    private var numerators: [OpaquePointer?] = []
    private let r: OpaquePointer?

    /// Prepares a key.
    ///
    /// - Throws: An error if OpenSSL is out of memory.
    package convenience init(_ privateKey: NetworkPrivateKey) throws {
        try self.init(privateKey.key.key)
    }

    init(_ privateKey: ECKeyObject) throws {
        guard let handle = EVP_PKEY_get1_EC_KEY(privateKey.handle) else {
            throw OpenSSLError.last("EVP_PKEY_get1_EC_KEY")
        }
        key = OpenSSLObject(owning: handle) { EC_KEY_free($0) }
        let (prime, scratch) = (BN_new(), BN_CTX_new())
        defer {
            BN_free(prime)
            BN_CTX_free(scratch)
        }
        guard let group = EC_KEY_get0_group(handle), let order = EC_GROUP_get0_order(group),
            let secret = EC_KEY_get0_private_key(handle), let prime, let scratch,
            EC_GROUP_get_curve(group, prime, nil, nil, scratch) == 1
        else {
            throw OpenSSLError.last("EC_GROUP_get_curve")
        }
        (self.group, self.order, self.secret) = (group, order, secret)
        nonces = try SecretNumbers(modulo: order, scratch)
        denominators = try SecretNumbers(modulo: prime, scratch)
        r = BN_new()
        guard r != nil else {
            throw OpenSSLError.last("BN_new")
        }
    }

    deinit {
        for number in numerators + [r] {
            BN_clear_free(number)
        }
    }

    /// Signs SHA-256 digests.
    ///
    /// - Parameter digests: At most ``capacity`` digests.
    /// - Returns: Their signatures, in the same order; DER.
    /// - Throws: An error if OpenSSL is out of memory, or a nonce cannot be used, which happens to one in 2²⁵⁶; sign them
    ///   one by one then.
    package func signatures(over digests: ArraySlice<[UInt8]>) throws -> [[UInt8]] {
        let count = digests.count
        try makeRoom(for: count)
        defer { clear(count) }
        // OpenSSL leaves secrets in both, and clears them only when they are freed.
        let (scratch, point) = (BN_CTX_secure_new(), EC_POINT_new(group))
        defer {
            BN_CTX_free(scratch)
            EC_POINT_clear_free(point)
        }
        try OpenSSLError.check(scratch == nil || point == nil ? 0 : 1)
        for (index, digest) in zip(0..., digests) {
            try OpenSSLError.check(BN_generate_dsa_nonce(nonces[index], order, secret, digest, digest.count, scratch))
            try OpenSSLError.check(EC_POINT_mul(group, point, nonces[index], nil, nil, scratch))
            try OpenSSLError.check(
                EC_POINT_get_Jprojective_coordinates_GFp(
                    group, point, numerators[index], nil, denominators[index], scratch))
        }
        let all = (key: secret, digest: SHA256.digest(of: digests.flatMap(\.self)).bytes)
        try nonces.invert(count, secret: all, scratch)
        try denominators.invert(count, secret: all, scratch)
        return try zip(0..., digests).map { index, digest in
            try computeR(index, scratch)
            return try sign(digest, nonceInverse: nonces[index])
        }
    }

    /// Sets ``r`` to the affine x of a nonce's point, modulo the order.
    private func computeR(_ index: Int, _ scratch: OpaquePointer?) throws {
        let (inverse, montgomery) = (denominators[index], denominators.montgomery)
        // Z⁻¹ · R, then Z⁻² · R, then Z⁻² · X.
        try OpenSSLError.check(BN_to_montgomery(inverse, inverse, montgomery, scratch))
        try OpenSSLError.check(BN_mod_mul_montgomery(r, inverse, inverse, montgomery, scratch))
        try OpenSSLError.check(BN_mod_mul_montgomery(r, r, numerators[index], montgomery, scratch))
        try OpenSSLError.check(BN_nnmod(r, r, order, scratch))
    }

    /// Signs a digest with the current ``r``.
    private func sign(_ digest: [UInt8], nonceInverse: OpaquePointer?) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: ECPrivateKey.longestSignature) { buffer, count in
            var length: UInt32 = 0
            try OpenSSLError.check(
                ECDSA_sign_ex(
                    0, digest, Int32(digest.count), buffer.baseAddress, &length, nonceInverse, r, key.pointer))
            count = Int(length)
        }
    }

    /// Makes room for the numbers of as many digests; most keys never sign that many together.
    private func makeRoom(for count: Int) throws {
        try nonces.makeRoom(for: count)
        try denominators.makeRoom(for: count)
        while numerators.count < count {
            guard let number = BN_secure_new() else {
                throw OpenSSLError.last("BN_secure_new")
            }
            numerators.append(number)
        }
    }

    private func clear(_ count: Int) {
        nonces.clear(count)
        denominators.clear(count)
        for number in numerators.prefix(count) + [r] {
            BN_clear(number)
        }
    }
}
