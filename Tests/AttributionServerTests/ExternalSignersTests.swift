import Attribution
import AttributionConsole
import AttributionServer
import AttributionSigning
import Foundation
import Logging
import TestSupport
import Testing

@Suite("External signers at their sockets", .timeLimit(.minutes(5)))
struct ExternalSignersTests {
    private let folder: String
    private let key: NetworkPrivateKey
    /// For signers that answer, so that no test depends on how fast the machine is.
    private let unhurried = SignerExchange.Limits(time: .seconds(20))

    init() throws {
        folder = NSTemporaryDirectory() + "skan-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        key = try .generate(.p256)
    }

    private func externalKey(_ name: String = "s") throws -> ExternalKey {
        ExternalKey(socket: "\(folder)/\(name)", id: name, publicKey: try key.publicKey())
    }

    private func requests(_ count: Int, _ key: ExternalKey) -> [SignatureRequest] {
        (0..<count).map { number in
            SignatureRequest(key: key, digest: (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 3 * 8)) })
        }
    }

    /// Waits until the key can be used, or cannot for this reason.
    private func wait(_ signers: ExternalSigners, until expected: ExternalSignerError?) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            switch signers.verdicts.first?.verdict {
            case .success? where expected == nil: return
            case .failure(let error)? where error == expected: return
            default: try await Task.sleep(for: .milliseconds(5))
            }
        }
        Issue.record("expected \(expected.map { "\($0)" } ?? "that it signs"), found \(signers.verdicts)")
    }

    @Test("A thousand signatures over one connection verify, each over its own digest")
    func many() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let external = try externalKey()
        let signer = try SocketSigner(external.socket, key)
        defer { signer.stop() }
        let metrics = PrometheusMetrics()
        let signers = ExternalSigners(logger: .silent, metricsFactory: metrics, limits: unhurried)
        signers.use([external])
        await signers.checked()
        let requests = requests(1_000, external)
        let signatures = await signers.signatures(for: requests)
        #expect(signatures.count == 1_000)
        for request in requests {
            let signature = try #require(signatures[request]).get()
            #expect(external.publicKey.verifies(signature, digest: request.digest))
        }
        let text = metrics.text()
        #expect(
            text.contains("skan_external_signatures_total{key=\"\(external.name)\",outcome=\"signed\"} 1000"), "\(text)"
        )
        signers.close()
    }

    @Test("A signer that comes late, goes and comes again: refused at once while it is away, signed when it is there")
    func comesAndGoes() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let external = try externalKey()
        let log = LinesOfLog()
        let signers = ExternalSigners(logger: log.logger, metricsFactory: PrometheusMetrics(), limits: unhurried)
        signers.use([external])
        let away = ExternalSignerError.away(socket: external.socket, reason: "there is no socket")
        let request = requests(1, external)[0]
        for _ in 0..<2 {
            try await wait(signers, until: away)
            #expect(signers.presence.map(\.isPresent) == [false])
            let refused = await signers.signatures(for: [request])
            #expect(refused == [request: .failure(away)])
            let signer = try SocketSigner(external.socket, key)
            try await wait(signers, until: nil)
            #expect(try await signers.signatures(for: [request])[request]?.get() != nil)
            #expect(signers.presence.map(\.isPresent) == [true])
            signer.stop()
        }
        #expect(log.lines.contains { $0.hasPrefix("notice external signer answers") }, "\(log.lines)")
        signers.close()
    }

    @Test("A signer that hangs is away after half a second, and nothing waits longer")
    func hangs() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let external = try externalKey()
        let signer = try SocketSigner(external.socket, key)
        defer { signer.stop() }
        let signers = ExternalSigners(logger: .silent, metricsFactory: PrometheusMetrics())
        signers.use([external])
        await signers.checked()
        signer.behave(.isSilent)
        let request = requests(1, external)[0]
        let late = await signers.signatures(for: [request])
        #expect(late == [request: .failure(.away(socket: external.socket, reason: "it does not answer"))])
        signer.behave(.signs)
        try await wait(signers, until: nil)
        signers.close()
    }

    @Test("Another key than the list's, and a signer that hangs up, are found before they are used")
    func checked() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (wrong, away) = (try externalKey("wrong"), try externalKey("away"))
        let signer = try SocketSigner(wrong.socket, key, .signsWrongly)
        let other = try SocketSigner(away.socket, key, .hangsUp)
        defer {
            signer.stop()
            other.stop()
        }
        let verdicts = await ExternalSigners(connectedTo: [wrong, away]).checked()
        let errors = verdicts.map { verdict -> ExternalSignerError? in
            if case .failure(let error) = verdict.verdict { error } else { nil }
        }
        #expect(
            errors == [.away(socket: away.socket, reason: "it closed the connection"), .wrongSignature(key: "wrong")])
    }

    @Test("A key that signs and fails in turns is logged a few times, not with every request")
    func inTurns() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let external = try externalKey()
        let signer = try SocketSigner(external.socket, key)
        defer { signer.stop() }
        let log = LinesOfLog()
        let signers = ExternalSigners(logger: log.logger, metricsFactory: PrometheusMetrics(), limits: unhurried)
        defer { signers.close() }
        signers.use([external])
        await signers.checked()
        let request = requests(1, external)[0]
        let began = ContinuousClock.now
        for _ in 0..<20 {
            signer.behave(.refuses)
            #expect(
                await signers.signatures(for: [request])
                    == [request: .failure(.refused(key: external.id, reason: "no-such-key"))])
            signer.behave(.signs)
            _ = try #require(await signers.signatures(for: [request])[request]).get()
        }
        // Five in ten seconds.
        let lines = log.lines.count { $0.contains("an external signer cannot sign with a key") }
        #expect(lines == 5 || began.duration(to: .now) > .seconds(10), "\(log.lines)")
    }

    @Test("A list without a signer leaves it, and one that names it again connects to it")
    func reloading() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (former, latter) = (try externalKey("a"), try externalKey("b"))
        let (one, two) = (try SocketSigner(former.socket, key), try SocketSigner(latter.socket, key))
        defer {
            one.stop()
            two.stop()
        }
        let log = LinesOfLog()
        let signers = ExternalSigners(logger: log.logger, metricsFactory: PrometheusMetrics(), limits: unhurried)
        defer { signers.close() }
        for key in [former, latter, former, latter] {
            signers.use([key])
            try await wait(signers, until: nil)
        }
        #expect(signers.presence.map(\.socket) == [latter.socket])
        let request = requests(1, former)[0]
        #expect(
            await signers.signatures(for: [request])
                == [request: .failure(.away(socket: former.socket, reason: "it is no longer in the list of keys"))])
        #expect(!log.lines.contains { $0.hasPrefix("error") }, "\(log.lines)")
    }
}
