import FixedKeyECDSA
import Testing

@Suite("Reading signatures and keys")
struct SignatureReadingTests {
    private static let sound = DERWriter.signature(Number(0x1234), Number(0x8765_4321))

    @Test("Every truncation is refused", arguments: ECDSACurve.allCases)
    func truncations(curve: ECDSACurve) {
        let sound = Self.sound
        #expect(ECDSASignature(der: sound, on: curve) != nil)
        for count in 0..<sound.count {
            let cut = Array(sound[..<count])
            #expect(ECDSASignature(der: cut, on: curve) == nil, "\(count) bytes")
        }
    }

    @Test(
        "Invalid DER is refused",
        arguments: [
            [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x00],  // s is 0
            [0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x01],  // r is 0
            [0x30, 0x07, 0x02, 0x02, 0x00, 0x01, 0x02, 0x01, 0x01],  // r is longer than necessary
            [0x30, 0x06, 0x02, 0x01, 0xff, 0x02, 0x01, 0x01],  // r is negative
            [0x30, 0x07, 0x02, 0x01, 0x01, 0x02, 0x02, 0xff, 0x7f],  // s is negative
            [0x30, 0x05, 0x02, 0x00, 0x02, 0x01, 0x01],  // r is empty
            [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01, 0x00],  // a trailing byte
            [0x30, 0x07, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01, 0x00],  // a trailing byte inside
            [0x30, 0x81, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01],  // the length has more bytes than necessary
            [0x30, 0x80, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01, 0x00, 0x00],  // indefinite length
            [0x30, 0x07, 0x02, 0x81, 0x01, 0x01, 0x02, 0x01, 0x01],  // r's length has more bytes than necessary
            [0x31, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01],  // a set
            [0x30, 0x06, 0x03, 0x01, 0x01, 0x02, 0x01, 0x01],  // a bit string
            [0x30, 0x03, 0x02, 0x01, 0x01],  // s is missing
            [0x30, 0x09, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01],  // three numbers
            [0x30, 0x06, 0x02, 0x7f, 0x01, 0x02, 0x01, 0x01],  // r's length exceeds the content
        ] as [[UInt8]])
    func refused(der: [UInt8]) {
        #expect(ECDSASignature(der: der, on: .p256) == nil)
        #expect(ECDSASignature(der: der, on: .p192) == nil)
    }

    @Test("r‖s has exactly the bytes of two numbers", arguments: ECDSACurve.allCases)
    func rawLength(curve: ECDSACurve) {
        for count in 0...130 {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect((ECDSASignature(raw: bytes, on: curve) != nil) == (count == 2 * curve.size))
        }
    }

    @Test("A signature of the other curve is invalid")
    func otherCurve() throws {
        let point = try #require(OpenSSLGroup(.p256).sum(Number(3)))
        let verifier = FixedKeyVerifier(
            publicKeys: [try ECDSAPublicKey(x963: point, on: .p256)], windowWidth: 4)
        let sound = Self.sound
        let check = SignatureCheck(
            digest: MessageDigest([UInt8](repeating: 1, count: 32)),
            signature: try #require(ECDSASignature(der: sound, on: .p192)), key: verifier.keys[0])
        #expect(verifier.verify(check) == .invalid)
        #expect(verifier.verify([check, check]) == [.invalid, .invalid])
        #expect(verifier.verify([]).isEmpty)
    }

    @Test("Each invalid key has its own error")
    func keys() throws {
        var point = try #require(OpenSSLGroup(.p256).sum(Number(5)))
        let short = Array(point.dropLast())
        #expect(throws: PublicKeyError.wrongLength(expected: 65, found: 64)) {
            try ECDSAPublicKey(x963: short, on: .p256)
        }
        #expect(throws: PublicKeyError.wrongLength(expected: 49, found: 65)) {
            try ECDSAPublicKey(x963: point, on: .p192)
        }
        point[0] = 0x02
        #expect(throws: PublicKeyError.notUncompressed(firstByte: 2)) {
            try ECDSAPublicKey(x963: point, on: .p256)
        }
        point[0] = 0x04
        point[64] ^= 1
        #expect(throws: PublicKeyError.notOnCurve) { try ECDSAPublicKey(x963: point, on: .p256) }
        point.replaceSubrange(1...32, with: repeatElement(0xff, count: 32))
        #expect(throws: PublicKeyError.coordinateOutOfRange) { try ECDSAPublicKey(x963: point, on: .p256) }
    }
}
