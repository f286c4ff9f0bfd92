import COpenSSL
import FixedKeyECDSA

/// Secret numbers modulo a prime, which are inverted together.
///
/// The arithmetic is OpenSSL's, in constant time. Only the product of all is inverted (Montgomery's trick), and that in
/// a time that depends on it: it begins with a factor drawn for the call, so it is a random number that says nothing
/// about the others. The factor is as secret as they are, and made as OpenSSL makes nonces.
final class SecretNumbers {
    /// For products modulo the prime, where R is the power of 2⁶⁴ above it: `BN_mod_mul_montgomery` of a and b gives
    /// a · b · R⁻¹.
    let montgomery: OpaquePointer?
    private let prime: OpaquePointer?
    private let inverter: ModularInverter
    private let byteCount: Int
    private var numbers: [OpaquePointer?] = []
    /// The random factor multiplied by the first numbers: none, one, and so on.
    private var products: [OpaquePointer?]
    private let productInverse: OpaquePointer?
    private let numberInverse: OpaquePointer?

    /// Creates an empty set.
    ///
    /// - Throws: An error if OpenSSL is out of memory.
    init(modulo prime: OpaquePointer, _ scratch: OpaquePointer?) throws {
        self.prime = BN_dup(prime)
        byteCount = Int(BN_num_bits(prime) + 7) / 8
        inverter = ModularInverter(modulo: Self.bytes(of: prime, byteCount).span)
        montgomery = BN_MONT_CTX_new()
        products = [Self.makeNumber()]
        productInverse = Self.makeNumber()
        numberInverse = Self.makeNumber()
        guard ![self.prime, montgomery, products[0], productInverse, numberInverse].contains(nil),
            BN_MONT_CTX_set(montgomery, prime, scratch) == 1
        else {
            throw OpenSSLError.last("BN_MONT_CTX_set")
        }
    }

    deinit {
        for number in numbers + products + [productInverse, numberInverse] {
            BN_clear_free(number)
        }
        BN_MONT_CTX_free(montgomery)
        BN_free(prime)
    }

    /// A number, once there is room for it.
    subscript(index: Int) -> OpaquePointer? {
        numbers[index]
    }

    /// Makes room for so many numbers.
    ///
    /// - Throws: An error if OpenSSL is out of memory.
    func makeRoom(for count: Int) throws {
        while numbers.count < count {
            let (number, product) = (Self.makeNumber(), Self.makeNumber())
            guard number != nil, product != nil else {
                BN_free(number)
                BN_free(product)
                throw OpenSSLError.last("BN_secure_new")
            }
            numbers.append(number)
            products.append(product)
        }
    }

    /// Replaces the first `count` numbers by their inverses.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - secret: A private key, and a digest of what the numbers are for: the factor depends on both and on randomness,
    ///     so that no copy of the process or of its machine uses it for other numbers.
    ///   - scratch: OpenSSL's temporary numbers.
    /// - Throws: An error if OpenSSL is out of memory, or one of the numbers is zero.
    func invert(
        _ count: Int, secret: (key: OpaquePointer, digest: [UInt8]), _ scratch: OpaquePointer?
    ) throws {
        try OpenSSLError.check(
            BN_generate_dsa_nonce(products[0], prime, secret.key, secret.digest, secret.digest.count, scratch))
        for index in 0..<count {
            try OpenSSLError.check(
                BN_mod_mul_montgomery(products[index + 1], products[index], numbers[index], montgomery, scratch))
        }
        guard let bytes = inverter.inverse(ofBlinded: Self.bytes(of: products[count], byteCount).span) else {
            throw OpenSSLError(description: "one of \(count) numbers is zero", isPointAtInfinity: false)
        }
        try OpenSSLError.check(BN_bin2bn(bytes, Int32(bytes.count), productInverse) == nil ? 0 : 1)
        for index in (0..<count).reversed() {
            // Each product was divided by R, as these are: the inverse of a product, times the product before it, divided
            // by R, is the inverse of the number.
            try OpenSSLError.check(
                BN_mod_mul_montgomery(numberInverse, productInverse, products[index], montgomery, scratch))
            try OpenSSLError.check(
                BN_mod_mul_montgomery(productInverse, productInverse, numbers[index], montgomery, scratch))
            BN_swap(numberInverse, numbers[index])
        }
    }

    /// Erases the first `count` numbers and what was computed with them.
    func clear(_ count: Int) {
        for index in 0..<count {
            BN_clear(numbers[index])
            BN_clear(products[index + 1])
        }
        for number in [products[0], productInverse, numberInverse] {
            BN_clear(number)
        }
    }

    private static func makeNumber() -> OpaquePointer? {
        guard let number = BN_secure_new() else { return nil }
        BN_set_flags(number, BN_FLG_CONSTTIME)
        return number
    }

    private static func bytes(of number: OpaquePointer?, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = BN_bn2binpad(number, buffer.baseAddress, Int32(count)) == count ? count : 0
        }
    }
}
