public import Attribution
import Crypto
import Synchronization

/// Judges bodies: reads them strictly, builds the text their version signs, and verifies the signature over it.
///
/// The version picks the order of the text and the curve. The test keys an operator named are tried first, so that a
/// test server does not verify everything twice; a server in production has none. It alone makes a
/// ``VerifiedPostback``.
public struct PostbackVerifier: Sendable {
    private let keys: [PostbackVerificationKey]
    /// The places in ``keys`` of those of each curve, in the order in which they are tried.
    private let places: [SignatureCurve: [Int]]
    private let tables: KeyTables

    /// Makes a verifier with Apple's keys and, when named, test keys.
    ///
    /// - Parameter testKeys: Keys whose postbacks are marked as test. One of Apple's own keys among them is left out:
    ///   what it verifies is Apple's.
    /// - Throws: ``KeyProblem/noPublicKey(file:)`` when OpenSSL lacks a curve.
    public init(testKeys: [SignaturePublicKey] = []) throws(KeyProblem) {
        var apple: [PostbackVerificationKey] = []
        for curve in SignatureCurve.allCases {
            apple.append(try .apple(curve))
        }
        let tests = testKeys.filter { key in !apple.contains { $0.publicKey.base64 == key.base64 } }
        let keys = tests.map(PostbackVerificationKey.test) + apple
        self.keys = keys
        places = Dictionary(grouping: keys.indices) { keys[$0].publicKey.curve }
        tables = KeyTables()
    }

    /// Makes the tables that speed up verifying many postbacks, some tens of milliseconds a key, and compares them with
    /// OpenSSL; without them, or when it throws, OpenSSL verifies alone.
    ///
    /// - Throws: ``KeyTablesError``; the verifier works all the same.
    public func prepareTables() throws(KeyTablesError) {
        try tables.prepare(keys)
    }

    /// Reads and verifies one body.
    public func judge(_ body: [UInt8]) -> Judgement {
        do throws(PostbackRejection) {
            return verify(try ReceivedPostback(reading: body))
        } catch {
            return .rejected(error, body: body)
        }
    }

    /// Reads and verifies bodies, together where that is faster.
    ///
    /// - Parameter bodies: The bytes of each.
    /// - Returns: The judgements in the order of the bodies.
    public func judge(_ bodies: [[UInt8]]) -> [Judgement] {
        let readings = bodies.map { body in
            Result { () throws(PostbackRejection) in try ReceivedPostback(reading: body) }
        }
        var verified = verify(readings.compactMap { try? $0.get() })[...]
        return zip(readings, bodies).map { reading, body in
            switch reading {
            case .success: verified.removeFirst()
            case .failure(let rejection): .rejected(rejection, body: body)
            }
        }
    }

    /// Verifies a postback that was read.
    public func verify(_ postback: ReceivedPostback) -> Judgement {
        let digest = Self.digest(postback)
        let places = places[postback.version.postbackCurve] ?? []
        return judgement(on: postback, key: places.first { isOpenSSLValid(postback, digest, $0) })
    }

    /// Verifies postbacks that were read, together where that is faster.
    ///
    /// - Parameter postbacks: The postbacks.
    /// - Returns: The judgements in their order.
    public func verify(_ postbacks: [ReceivedPostback]) -> [Judgement] {
        guard let path = tables.path else {
            return postbacks.map { verify($0) }
        }
        let digests = postbacks.map(Self.digest)
        var found: [Int?] = Array(repeating: nil, count: postbacks.count)
        var open = Array(postbacks.indices)
        var round = 0
        // All under their first key together, then what is left under the second, and so on.
        while !open.isEmpty {
            open.removeAll { round >= (places[postbacks[$0].version.postbackCurve]?.count ?? 0) }
            let questions = open.map { index in
                FixedKeyPath.Question(
                    digest: digests[index], postback: postbacks[index],
                    place: places[postbacks[index].version.postbackCurve]?[round] ?? 0)
            }
            var rest: [Int] = []
            for (index, (question, answer)) in zip(open, zip(questions, path.verify(questions))) {
                if answer ?? isOpenSSLValid(question.postback, question.digest, question.place) {
                    found[index] = question.place
                } else {
                    rest.append(index)
                }
            }
            open = rest
            round += 1
        }
        return zip(postbacks, found).map { judgement(on: $0, key: $1) }
    }

    private func isOpenSSLValid(_ postback: ReceivedPostback, _ digest: [UInt8], _ place: Int) -> Bool {
        keys[place].publicKey.verifies(postback.attributionSignature, digest: digest)
    }

    private func judgement(on postback: ReceivedPostback, key place: Int?) -> Judgement {
        guard let place else {
            let tried = places[postback.version.postbackCurve] ?? []
            return .rejected(.invalidSignature(keys: tried.map { keys[$0].name }), body: postback.body)
        }
        return .verified(
            VerifiedPostback(verified: postback, provenance: keys[place].provenance, keyName: keys[place].name))
    }

    private static func digest(_ postback: ReceivedPostback) -> [UInt8] {
        Array(SHA256.hash(data: postback.signedText.utf8))
    }

    /// The tables, once they are made; copies of a verifier share them.
    private final class KeyTables: Sendable {
        private let state = Mutex<FixedKeyPath?>(nil)

        var path: FixedKeyPath? {
            state.withLock { $0 }
        }

        func prepare(_ keys: [PostbackVerificationKey]) throws(KeyTablesError) {
            guard path == nil else {
                return
            }
            let made = try FixedKeyPath(keys)
            state.withLock { $0 = made }
        }
    }
}
