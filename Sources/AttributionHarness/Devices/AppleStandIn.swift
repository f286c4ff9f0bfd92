import Attribution
package import AttributionSigning
import Foundation

/// A stand-in for Apple that signs postbacks of both frameworks and every version with test keys on Apple's curves.
///
/// Verifiers reject its postbacks unless they trust the test keys, and never count them as Apple's.
package struct AppleStandIn: Sendable {
    private let keys: [SignatureCurve: NetworkPrivateKey]

    /// Generates fresh keys.
    package init() throws {
        var keys: [SignatureCurve: NetworkPrivateKey] = [:]
        for curve in SignatureCurve.allCases {
            keys[curve] = try .generate(curve)
        }
        self.keys = keys
    }

    /// Reads the keys from a folder, or generates them there if missing: `test-p192.pem`, `test-p256.pem`
    /// and their public halves, `test-p192.public.pem`, `test-p256.public.pem`.
    package init(folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var keys: [SignatureCurve: NetworkPrivateKey] = [:]
        for curve in SignatureCurve.allCases {
            let file = "\(folder)/test-\(curve.rawValue).pem"
            if !FileManager.default.fileExists(atPath: file) {
                try KeyFile.writeNew(try NetworkPrivateKey.generate(curve).pem(), to: file)
            }
            let key = try NetworkPrivateKey(file: file)
            keys[curve] = key
            let publicFile = "\(folder)/test-\(curve.rawValue).public.pem"
            try Data(try key.publicKey().pem().utf8).write(to: URL(fileURLWithPath: publicFile), options: .atomic)
        }
        self.keys = keys
    }

    /// The public halves, for a verifier to trust.
    package func publicKeys() throws -> [SignaturePublicKey] {
        try SignatureCurve.allCases.compactMap { try keys[$0]?.publicKey() }
    }

    /// Signs a draft by the rules of its version.
    ///
    /// - Throws: ``Attribution/PostbackRejection`` if the draft lacks a field that its version signs.
    package func sign(_ draft: PostbackDraft, escapesSlashes: Bool = false) throws -> [UInt8] {
        // Read with a placeholder signature, so that the signed text is the one a receiver verifies.
        let unsigned = try SKAdNetworkPostback(reading: draft.body(signature: [0]))
        guard let key = keys[unsigned.version.postbackCurve] else {
            throw KeyProblem.wrongCurve(unsigned.version.postbackCurve, version: unsigned.version)
        }
        return draft.body(signature: try key.signature(for: unsigned.signedText), escapesSlashes: escapesSlashes)
    }

    /// Signs an AdAttributionKit draft, even an invalid one.
    ///
    /// - Parameter draft: The draft.
    /// - Returns: The body as a device sends it.
    /// - Throws: An OpenSSL error.
    package func sign(_ draft: AdAttributionKitDraft) throws -> [UInt8] {
        guard let key = keys[.p256] else {
            throw KeyProblem.wrongCurveForJWS(.p192)
        }
        return draft.body(signature: try key.jwsSignature(for: Array(draft.signedText.utf8)))
    }

    /// Signs bytes with the key of a curve, as SKAdNetwork wants it: DER.
    func signature(over bytes: [UInt8], _ curve: SignatureCurve) throws -> [UInt8] {
        guard let key = keys[curve] else {
            throw KeyProblem.wrongCurveForJWS(curve)
        }
        return try key.signature(over: bytes)
    }

    /// Signs bytes as AdAttributionKit wants it: r‖s.
    func jwsSignature(over bytes: [UInt8]) throws -> [UInt8] {
        guard let key = keys[.p256] else {
            throw KeyProblem.wrongCurveForJWS(.p192)
        }
        return try key.jwsSignature(for: bytes)
    }
}
