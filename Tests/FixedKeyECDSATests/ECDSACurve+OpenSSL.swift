import COpenSSL
import FixedKeyECDSA

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
