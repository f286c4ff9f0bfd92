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
            squaredRadix: UInt256(0x01d1_770a_8313_4c27, 0xd69c_6961_caaf_687f, 0x1267_92c4_cef5_d8c5, 0)
        )
    }

    @inline(__always)
    static func number(of digest: MessageDigest) -> UInt256 {
        UInt256(digest.number.w1, digest.number.w2, digest.number.w3, 0)
    }
}
