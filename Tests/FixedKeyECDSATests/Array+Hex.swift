import COpenSSL

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
