import Foundation
import Platform
import Testing

@Suite("Chains of certificates")
struct CertificateChainTests {
    /// The text of PEM files that belong to the tests: a server's certificate, its intermediate, and the root.
    static func pem(_ names: [String]) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("TestSupport/Fixtures")
        return try names.flatMap { Array(try Data(contentsOf: folder.appendingPathComponent("\($0).pem"))) }
    }

    static let rows: [(names: [String], fault: CertificateChain.Fault?)] = [
        (["chain-server", "chain-intermediate", "chain-root"], nil),
        (["first-certificate"], nil),
        (["chain-server-key"], nil),
        ([], nil),
        (["chain-server"], .missingIssuer(of: "/CN=localhost", issuer: "/CN=chain intermediate")),
        (["chain-server-key", "chain-server"], .missingIssuer(of: "/CN=localhost", issuer: "/CN=chain intermediate")),
        (
            ["chain-intermediate", "chain-server", "chain-root"],
            .wrongOrder(["/CN=localhost", "/CN=chain intermediate", "/CN=chain root"])
        ),
        (
            ["chain-root", "chain-intermediate", "chain-server"],
            .wrongOrder(["/CN=localhost", "/CN=chain intermediate", "/CN=chain root"])
        ),
        (
            ["chain-server", "chain-root", "chain-intermediate"],
            .wrongOrder(["/CN=localhost", "/CN=chain intermediate", "/CN=chain root"])
        ),
        (["chain-intermediate", "chain-server"], .wrongOrder(["/CN=localhost", "/CN=chain intermediate"])),
    ]

    @Test("A missing intermediate and a wrong order are found, and nothing else", arguments: rows)
    func fault(_ row: (names: [String], fault: CertificateChain.Fault?)) throws {
        let chain = CertificateChain(pem: try Self.pem(row.names))
        #expect(chain.fault() == row.fault)
    }

    @Test("A hint names the right order")
    func hint() {
        let fault = CertificateChain.Fault.wrongOrder(["/CN=a", "/CN=b"])
        #expect(fault.hint == "write them in this order: /CN=a, then /CN=b")
    }

    static let verdicts: [([String], CertificateChain.Verdict)] = [
        (["chain-server", "chain-intermediate", "chain-root"], .selfSigned),
        (["chain-server", "chain-intermediate"], .unknownIssuer),
        (["chain-server"], .unknownIssuer),
        (["first-certificate"], .selfSigned),
        ([], .other("no certificate")),
    ]

    @Test("What nobody trusts is told apart", arguments: verdicts)
    func verdict(_ names: [String], _ verdict: CertificateChain.Verdict) throws {
        let der = try names.map { name in
            let lines = String(decoding: try Self.pem([name]), as: UTF8.self).split(separator: "\n")
            return try #require(Data(base64Encoded: lines.filter { !$0.hasPrefix("-") }.joined())).map { $0 }
        }
        let chain = CertificateChain(der: der)
        #expect(chain.verdict(for: "localhost") == verdict)
    }
}
