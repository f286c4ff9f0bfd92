/// A curve whose signatures can be verified.
package enum ECDSACurve: Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// NIST P-256, also called secp256r1 and prime256v1.
    ///
    /// - SeeAlso: [SEC 2, section 2.4.2](https://www.secg.org/sec2-v2.pdf)
    case p256

    /// NIST P-192, also called secp192r1 and prime192v1.
    ///
    /// - SeeAlso: [SEC 2 version 1, section 2.5.2](https://www.secg.org/SEC2-Ver-1.0.pdf)
    case p192

    /// Bits of the prime p and of the order n.
    var bitCount: Int {
        switch self {
        case .p256: 256
        case .p192: 192
        }
    }

    /// Bytes of a coordinate, of r and of s.
    var byteCount: Int { bitCount / 8 }

    /// The order n of the group of points.
    var order: UInt256 {
        switch self {
        case .p256: P256.order.value
        case .p192: P192.order.value
        }
    }
}

/// A curve y² = x³ − 3x + b of prime order.
protocol Curve: Sendable {
    associatedtype Field: PrimeField

    /// The public name of the curve.
    static var name: ECDSACurve { get }
    static var b: Field { get }
    static var generator: AffinePoint<Field> { get }
    /// The order n of the generator; n < p, and both have `ECDSACurve.bitCount` bits.
    static var order: Modulus { get }

    /// The number of a digest: its leftmost bits, as many as n has (SEC 1, section 4.1.4).
    static func number(of digest: MessageDigest) -> UInt256
}

/// NIST P-256, also called secp256r1 and prime256v1 (SEC 2, section 2.4.2).
enum P256: Curve {
    static var name: ECDSACurve { .p256 }

    static var b: P256Field {
        P256Field(UInt256(0x3bce_3c3e_27d2_604b, 0x651d_06b0_cc53_b0f6, 0xb3eb_bd55_7698_86bc, 0x5ac6_35d8_aa3a_93e7))
    }

    static var generator: AffinePoint<P256Field> {
        AffinePoint(
            x: P256Field(
                UInt256(0xf4a1_3945_d898_c296, 0x7703_7d81_2deb_33a0, 0xf8bc_e6e5_63a4_40f2, 0x6b17_d1f2_e12c_4247)),
            y: P256Field(
                UInt256(0xcbb6_4068_37bf_51f5, 0x2bce_3357_6b31_5ece, 0x8ee7_eb4a_7c0f_9e16, 0x4fe3_42e2_fe1a_7f9b))
        )
    }

    @inline(__always)
    static var order: Modulus {
        Modulus(
            UInt256(0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000),
            negatedInverse: 0xccd1_c8aa_ee00_bc4f,
            squaredRadix: UInt256(
                0x8324_4c95_be79_eea2, 0x4699_799c_49bd_6fa6, 0x2845_b239_2b6b_ec59, 0x66e1_2d94_f3d9_5620)
        )
    }

    @inline(__always)
    static func number(of digest: MessageDigest) -> UInt256 {
        digest.number
    }
}

/// NIST P-192, also called secp192r1 and prime192v1 (SEC 2 version 1, section 2.5.2).
enum P192: Curve {
    static var name: ECDSACurve { .p192 }

    static var b: P192Field {
        P192Field(UInt256(0xfeb8_deec_c146_b9b1, 0x0fa7_e9ab_7224_3049, 0x6421_0519_e59c_80e7, 0))
    }

    static var generator: AffinePoint<P192Field> {
        AffinePoint(
            x: P192Field(UInt256(0xf4ff_0afd_82ff_1012, 0x7cbf_20eb_43a1_8800, 0x188d_a80e_b030_90f6, 0)),
            y: P192Field(UInt256(0x73f9_77a1_1e79_4811, 0x6310_11ed_6b24_cdd5, 0x0719_2b95_ffc8_da78, 0))
        )
    }

    @inline(__always)
    static var order: Modulus {
        Modulus(
            UInt256(0x146b_c9b1_b4d2_2831, 0xffff_ffff_99de_f836, 0xffff_ffff_ffff_ffff, 0),
            negatedInverse: 0x8826_7207_0ddb_cf2f,
            squaredRadix: UInt256(0x01d1_770a_8313_4c27, 0xd69c_6961_caaf_687f, 0x1267_92c4_cef5_d8c5, 0))
    }

    @inline(__always)
    static func number(of digest: MessageDigest) -> UInt256 {
        UInt256(digest.number.w1, digest.number.w2, digest.number.w3, 0)
    }
}

/// An element of the field of integers modulo a curve's prime p, always fully reduced.
protocol PrimeField: Equatable, Sendable, BitwiseCopyable {
    static var zero: Self { get }
    static var one: Self { get }

    init(_ number: UInt256)

    /// The element as a number below p.
    var number: UInt256 { get }

    /// The prime p.
    static var prime: UInt256 { get }

    static func + (left: Self, right: Self) -> Self
    static func - (left: Self, right: Self) -> Self
    static func * (left: Self, right: Self) -> Self

    var squared: Self { get }
    var isZero: Bool { get }

    /// The element itself for a mask of zero, its negative for a mask of all ones; the element must not be zero.
    func negated(_ mask: UInt64) -> Self

    /// The inverse of an element other than zero.
    var inverse: Self { get }
}
