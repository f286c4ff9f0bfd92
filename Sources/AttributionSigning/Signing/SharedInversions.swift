import COpenSSL

/// Signs many digests with one key together.
///
/// Half of the time of a signature goes into two inversions: of the nonce, and for the affine coordinates of its point.
/// Here all signatures share one of each (Montgomery's trick).
///
/// All arithmetic with secrets is OpenSSL's, in constant time; that of the nonces' inverses begins with a random factor.
/// A nonce is made as OpenSSL makes it, of randomness, the key and the digest together, and only lives during a call: it
/// cannot be used twice, not even by a copy of the process or of its machine.
final class SharedInversions {
    /// The most digests that are signed together.
    ///
    /// As many as the signing listener signs in a turn; each takes some hundred bytes.
    static let capacity = 256

    private let key: OpaquePointer?
    private let montgomery: OpaquePointer?
    private let group: OpaquePointer?
    private let order: OpaquePointer?
    private let secret: OpaquePointer?
    /// The nonces, in Montgomery form.
    private var nonces: [OpaquePointer?] = []
    /// The random factor multiplied by the first nonces: none, one, and so on; in Montgomery form.
    private var products: [OpaquePointer?]
    private var points: [OpaquePointer?] = []
    /// The inverse of a product.
    private let inverse: OpaquePointer?
    private let nonceInverse: OpaquePointer?
    private let r: OpaquePointer?

    /// Makes room for the signatures of a key.
    ///
    /// - Throws: An error if OpenSSL is out of memory.
    init(_ privateKey: ECKeyObject) throws {
        let scratch = BN_CTX_new()
        defer { BN_CTX_free(scratch) }
        key = EVP_PKEY_get1_EC_KEY(privateKey.handle)
        montgomery = BN_MONT_CTX_new()
        group = key.flatMap { EC_KEY_get0_group($0) }
        order = group.flatMap { EC_GROUP_get0_order($0) }
        secret = key.flatMap { EC_KEY_get0_private_key($0) }
        products = [BN_secure_new()]
        inverse = BN_secure_new()
        nonceInverse = BN_secure_new()
        r = BN_new()
        guard ![key, group, montgomery, order, secret, products[0], inverse, nonceInverse, r, scratch].contains(nil),
            BN_MONT_CTX_set(montgomery, order, scratch) == 1
        else {
            throw OpenSSLError.last("EVP_PKEY_get1_EC_KEY")
        }
        BN_set_flags(inverse, BN_FLG_CONSTTIME)
    }

    deinit {
        for number in nonces + products + [inverse, nonceInverse, r] {
            BN_clear_free(number)
        }
        for point in points {
            EC_POINT_clear_free(point)
        }
        BN_MONT_CTX_free(montgomery)
        EC_KEY_free(key)
    }

    /// Signs SHA-256 digests.
    ///
    /// - Parameter digests: At most ``capacity`` digests.
    /// - Returns: Their signatures, in the same order; DER.
    /// - Throws: An error if OpenSSL is out of memory, or a nonce cannot be used, which happens to one in 2²⁵⁶; sign them
    ///   one by one then.
    func signatures(over digests: ArraySlice<[UInt8]>) throws -> [[UInt8]] {
        let count = digests.count
        try makeRoom(for: count)
        defer { clear(count) }
        // OpenSSL leaves secrets in it, and clears them only when it is freed.
        let scratch = BN_CTX_secure_new()
        defer { BN_CTX_free(scratch) }
        try check(scratch == nil ? 0 : 1)
        try check(BN_priv_rand_range(inverse, order))
        try check(BN_to_montgomery(products[0], inverse, montgomery, scratch))
        for (index, digest) in zip(0..., digests) {
            let nonce = nonces[index]
            try check(BN_generate_dsa_nonce(nonce, order, secret, digest, digest.count, scratch))
            try check(EC_POINT_mul(group, points[index], nonce, nil, nil, scratch))
            try check(BN_to_montgomery(nonce, nonce, montgomery, scratch))
            try check(BN_mod_mul_montgomery(products[index + 1], products[index], nonce, montgomery, scratch))
        }
        try check(EC_POINTs_make_affine(group, count, &points, scratch))
        try check(BN_from_montgomery(inverse, products[count], montgomery, scratch))
        try check(BN_mod_inverse(inverse, inverse, order, scratch) == nil ? 0 : 1)
        var signatures: [[UInt8]] = []
        signatures.reserveCapacity(count)
        for (index, digest) in zip(0..<count, digests).reversed() {
            try check(BN_mod_mul_montgomery(nonceInverse, inverse, products[index], montgomery, scratch))
            try check(BN_mod_mul_montgomery(inverse, inverse, nonces[index], montgomery, scratch))
            try check(EC_POINT_get_Jprojective_coordinates_GFp(group, points[index], r, nil, nil, scratch))
            try check(BN_nnmod(r, r, order, scratch))
            signatures.append(try sign(digest))
        }
        return signatures.reversed()
    }

    /// Makes room for the numbers of as many digests; most keys never sign that many together.
    private func makeRoom(for count: Int) throws {
        while nonces.count < count {
            let (nonce, product, point) = (BN_secure_new(), BN_secure_new(), EC_POINT_new(group))
            guard nonce != nil, product != nil, point != nil else {
                BN_free(nonce)
                BN_free(product)
                EC_POINT_free(point)
                throw OpenSSLError.last("EC_POINT_new")
            }
            BN_set_flags(nonce, BN_FLG_CONSTTIME)
            nonces.append(nonce)
            products.append(product)
            points.append(point)
        }
    }

    /// Signs a digest with the current ``r`` and ``nonceInverse``.
    private func sign(_ digest: [UInt8]) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: ECPrivateKey.longestSignature) { buffer, count in
            var length: UInt32 = 0
            try check(
                ECDSA_sign_ex(0, digest, Int32(digest.count), buffer.baseAddress, &length, nonceInverse, r, key))
            count = Int(length)
        }
    }

    private func clear(_ count: Int) {
        for index in 0..<count {
            BN_clear(nonces[index])
            BN_clear(products[index + 1])
            EC_POINT_set_to_infinity(group, points[index])
        }
        for number in [products[0], inverse, nonceInverse, r] {
            BN_clear(number)
        }
    }

    private func check(_ status: Int32, _ function: StaticString = #function) throws {
        guard status == 1 else {
            throw OpenSSLError.last("\(function)")
        }
    }
}
