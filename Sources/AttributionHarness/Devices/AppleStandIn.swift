import Attribution
package import AttributionSigning
import Foundation
import StrictJSON

/// A stand-in for Apple that signs postbacks of both frameworks and every version with test keys on Apple's curves.
///
/// Verifiers reject its postbacks unless they trust the test keys, and never count them as Apple's.
package struct AppleStandIn: Sendable {
    private let keys: [SignatureCurve: NetworkPrivateKey]

    /// Generates fresh keys.
    package init() throws {
        keys = try Dictionary(uniqueKeysWithValues: SignatureCurve.allCases.map { ($0, try .generate($0)) })
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
    package func sign(_ draft: PostbackDraft) throws -> [UInt8] {
        // Read with a placeholder signature, so that the signed text is the one a receiver verifies.
        let unsigned = try SKAdNetworkPostback(reading: draft.body(signature: [0]))
        guard let key = keys[unsigned.version.postbackCurve] else {
            throw KeyProblem.wrongCurve(unsigned.version.postbackCurve, version: unsigned.version)
        }
        return draft.body(signature: try key.signature(for: unsigned.signedText))
    }

    /// Signs an AdAttributionKit draft, even an invalid one.
    package func sign(_ draft: AdAttributionKitDraft) throws -> [UInt8] {
        guard let key = keys[.p256] else {
            throw KeyProblem.wrongCurveForJWS(.p192)
        }
        return draft.body(signature: try key.jwsSignature(for: Array(draft.signedText.utf8)))
    }

    /// Signs bytes with the key of a curve; DER, as for SKAdNetwork.
    func signature(over bytes: [UInt8], _ curve: SignatureCurve) throws -> [UInt8] {
        guard let key = keys[curve] else {
            throw KeyProblem.wrongCurveForJWS(curve)
        }
        return try key.signature(over: bytes)
    }
}

/// A published postback, built into the product, and whether its signature verifies with Apple's key.
///
/// - SeeAlso: [Verifying an install-validation
///   postback](https://developer.apple.com/documentation/storekit/verifying-an-install-validation-postback)
package struct AppleSignedPostback: Sendable, CustomStringConvertible {
    /// The name of its file.
    package let name: String
    /// Whether it must verify.
    package let isGenuine: Bool
    /// What the case shows.
    package let why: String
    /// The body, with the names in the order of the file.
    package let body: [UInt8]

    /// The name of its file.
    package var description: String {
        name
    }

    /// All built-in postbacks, ordered by version.
    package static func all() throws -> [AppleSignedPostback] {
        try [
            PackageResources.skan_2_0_source_app_json, PackageResources.skan_2_1_source_app_json,
            PackageResources.skan_2_2_source_app_json, PackageResources.skan_3_0_win_json,
            PackageResources.skan_3_0_lose_json, PackageResources.skan_4_0_web_fine_json,
            PackageResources.skan_4_0_web_coarse_json, PackageResources.skan_2020_page_sample_json,
            PackageResources.aak_development_reengagement_json, PackageResources.aak_older_page_sample_json,
        ].map(AppleSignedPostback.init(file:))
    }

    /// Reads a file with `name`, `expect`, `why` and the postback under `body`.
    package init(file: [UInt8]) throws {
        let object = try JSONObject(reading: file)
        func string(_ name: String) throws -> String {
            guard case .string(let text) = object[name] else {
                throw FieldProblem(field: name, found: object[name]?.summary ?? "nothing", expected: "a string")
            }
            return text
        }
        guard case .nested(let body) = object["body"] else {
            throw FieldProblem(field: "body", found: object["body"]?.summary ?? "nothing", expected: "an object")
        }
        name = try string("name")
        isGenuine = try string("expect") == "valid"
        why = try string("why")
        self.body = Array(body.utf8)
    }
}
