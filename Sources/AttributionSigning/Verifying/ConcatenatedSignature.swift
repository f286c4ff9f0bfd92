import COpenSSL

/// The conversion of ECDSA signatures on P-256 between r‖s, used in JSON Web Signatures, and DER.
enum ConcatenatedSignature {
    /// The size of each number on P-256, in bytes.
    private static let size = 32

    /// The DER form of r‖s; nil for any length other than 64 bytes.
    static func der(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 2 * size, let pair = ECDSA_SIG_new() else {
            return nil
        }
        defer { ECDSA_SIG_free(pair) }
        let r = BN_bin2bn(signature, Int32(size), nil)
        let s = signature.withUnsafeBufferPointer { BN_bin2bn($0.baseAddress?.advanced(by: size), Int32(size), nil) }
        // On success it takes ownership of both.
        guard ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var der = [UInt8](repeating: 0, count: 72)
        let length = der.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return i2d_ECDSA_SIG(pair, &cursor)
        }
        return length > 0 ? Array(der.prefix(Int(length))) : nil
    }

    /// The form r‖s of a DER signature; nil if it is not a signature on P-256.
    static func concatenated(_ der: [UInt8]) -> [UInt8]? {
        guard der.count > 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else {
            return nil
        }
        var signature = [UInt8](repeating: 0, count: 2 * size)
        var start = 2
        for end in [size, 2 * size] {
            guard start + 2 < der.count, der[start] == 0x02 else {
                return nil
            }
            let next = start + 2 + Int(der[start + 1])
            guard next <= der.count else {
                return nil
            }
            // A leading zero keeps the sign bit clear.
            let digits = der[(start + 2)..<next].drop { $0 == 0 }
            guard digits.count <= size else {
                return nil
            }
            signature.replaceSubrange((end - digits.count)..<end, with: digits)
            start = next
        }
        return start == der.count ? signature : nil
    }
}
