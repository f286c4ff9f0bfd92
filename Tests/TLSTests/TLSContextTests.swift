import Foundation
import NIOSSL
import TLS
import TestSupport
import Testing

@Suite("Contexts of TLS")
struct TLSContextTests {
    @Test("The times of a certificate are those that BoringSSL reads", arguments: ["first", "second"])
    func times(name: String) throws {
        let expected = try #require(NIOSSLCertificate.fromPEMBytes(Identity.chain(name)).first)
        let found = try TLSContext.certificates(inPEM: Identity.chain(name))
        #expect(found.map(\.notValidBefore) == [Int(expected.notValidBefore)])
        #expect(found.map(\.notValidAfter) == [Int(expected.notValidAfter)])
    }

    @Test("Text around certificates is ignored, and all of a chain are read")
    func chain() throws {
        let chain =
            Array("subject: a name\n".utf8) + (try Identity.chain("first")) + Array("\nissuer\n".utf8)
            + (try Identity.chain("second"))
        #expect(try TLSContext.certificates(inPEM: chain).count == 2)
    }

    static let noCertificates: [(String, [UInt8])] = [
        ("nothing", []), ("text", Array("no certificate".utf8)), ("a key", (try? Identity.key()) ?? []),
        ("half of one", (try? Array(Identity.chain().prefix(400))) ?? []),
        ("one and half of one", (try? Identity.chain() + Identity.chain().prefix(400)) ?? []),
    ]

    @Test("What is no certificate, or not all of one, is refused", arguments: noCertificates)
    func noCertificate(_ name: String, _ pem: [UInt8]) {
        #expect(throws: TLSError.invalidPEM) { try TLSContext.certificates(inPEM: pem) }
    }

    @Test("A key with a passphrase is refused, and nobody is asked for it")
    func passphrase() throws {
        let locked = try Array(Data(contentsOf: URL(filePath: Fixture.path("locked-key.pem"))))
        #expect(throws: TLSError.invalidPEM) { try TLSContext.checkPrivateKey(inPEM: locked) }
        #expect(throws: TLSError.invalidPEM) { try TLSContext.checkPrivateKey(inPEM: Identity.chain()) }
        try TLSContext.checkPrivateKey(inPEM: Identity.key())
    }

    @Test("A certificate and the key of another are no identity")
    func mismatch() {
        #expect(throws: TLSError.unusableIdentity) {
            try TLSContext.server(certificateChain: Identity.chain("first"), privateKey: Identity.key("second"))
        }
    }
}

/// The PEM files of a test's identity.
enum Identity {
    static func chain(_ name: String = "first") throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: Fixture.path("\(name)-certificate.pem"))))
    }

    static func key(_ name: String = "first") throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: Fixture.path("\(name)-key.pem"))))
    }
}
