/// The conversion of ECDSA signatures on P-256 between r‖s, used in JSON Web Signatures, and DER.
enum ConcatenatedSignature {
    /// The size of each number on P-256, in bytes.
    private static let size = 32

    /// The DER form of r‖s; nil for any length other than 64 bytes.
    static func der(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 2 * size else {
            return nil
        }
        var der: [UInt8] = [0x30, 0]
        der.reserveCapacity(72)
        for start in [0, size] {
            let digits = signature[start..<start + size].drop { $0 == 0 }
            // A leading zero keeps the sign bit clear, and is all there is of zero.
            let needsZero = (digits.first ?? 0x80) >= 0x80
            der.append(0x02)
            der.append(UInt8(digits.count + (needsZero ? 1 : 0)))
            if needsZero { der.append(0) }
            der += digits
        }
        der[1] = UInt8(der.count - 2)
        return der
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
