package import Attribution
import Foundation

/// Keys that an operator adds to Apple's built-in ones, from a JSON file.
///
/// Apple can replace a key, and signs postbacks of Developer Mode with another one. The file is an object with one array,
/// `keys`, which may be empty; paths are relative to the file, and days begin at 00:00 UTC:
///
///     {"keys": [{"file": "apple-2027.pem", "framework": "adattributionkit", "kid": "apple-cas-identifier/1",
///                "use": "production", "from": "2027-01-01"},
///               {"pem": "-----BEGIN PUBLIC KEY-----…", "framework": "skadnetwork", "versions": ["3.0", "4.0"],
///                "use": "development"}]}
///
/// `from` and `until` are optional, and compared with when a postback was first received. An entry that repeats a built-in
/// key can only retire it with `until`.
package struct AppleKeySet: Sendable {
    /// What a key verifies.
    private enum Use: String, CaseIterable {
        case production, development

        var provenance: Provenance {
            switch self {
            case .production: .apple
            case .development: .development
            }
        }
    }

    /// The keys: a record for each version or `kid`.
    package let records: [AppleKeyRecord]
    /// What the operator should know at each start: which built-in keys are retired or repeated.
    package let warnings: [String]

    /// The longest `kid`; a longer one in a postback is read only in part.
    private static let longestKeyID = 128

    /// Reads a list and every key file it names.
    ///
    /// - Parameters:
    ///   - file: The list.
    ///   - testKeys: The trusted test keys, none of which may be in the list.
    /// - Throws: ``KeyProblem`` for the first problem.
    package init(file: String, testKeys: [SignaturePublicKey] = []) throws(KeyProblem) {
        let bytes = try KeyFile.list(file)
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        var records: [AppleKeyRecord] = []
        var warnings: [String] = []
        for fields in try Self.reading(file, { () throws(DocumentProblem) in try Self.entries(bytes) }) {
            let (path, pem) = try Self.reading(file) { () throws(DocumentProblem) in try Self.key(fields) }
            let key: SignaturePublicKey
            if let path {
                let name = URL(fileURLWithPath: path, relativeTo: folder).path
                key = try Self.publicKey(try KeyFile.material(name), file: name)
            } else {
                key = try Self.publicKey(KeyMaterial(reading: Array(pem.utf8)), file: "\(file), \(fields.path).pem,")
            }
            guard !testKeys.contains(where: { $0.subjectPublicKeyInfo == key.subjectPublicKeyInfo }) else {
                throw .testKeyAmongApples(fingerprint: key.fingerprint)
            }
            let (added, warning) = try Self.reading(file) { () throws(DocumentProblem) in
                try Self.records(of: key, fields)
            }
            guard !added.contains(where: { record in records.contains { $0.isSame(as: record) } }) else {
                throw .appleKeys(
                    file: file,
                    fields.problem(
                        path == nil ? "pem" : "file", found: "the key of an entry before, for the same postbacks",
                        expected: "each key once for a version or kid", cure: "remove one of them"))
            }
            records += added
            warnings += warning.map { [$0] } ?? []
        }
        self.records = records
        self.warnings = warnings
    }

    private static func reading<Value>(
        _ file: String, _ read: () throws(DocumentProblem) -> Value
    ) throws(KeyProblem) -> Value {
        do throws(DocumentProblem) {
            return try read()
        } catch {
            throw .appleKeys(file: file, error)
        }
    }

    private static func entries(_ bytes: [UInt8]) throws(DocumentProblem) -> [DocumentFields] {
        let fields = try DocumentFields(
            reading: bytes, name: "the file",
            cure: "write {\"keys\": [...]}, as in the README's section on keys")
        try fields.allow("keys")
        guard fields.has("keys") else {
            throw fields.problem(
                "keys", found: "nothing", expected: "an array of objects, which may be empty", cure: "add \"keys\": []")
        }
        return try fields.children("keys")
    }

    /// The path of a key's file, or its text.
    private static func key(_ fields: DocumentFields) throws(DocumentProblem) -> (path: String?, pem: String) {
        try fields.allow("file", "pem", "framework", "versions", "kid", "use", "from", "until")
        let path = try fields.optionalText("file", limit: 4_096)
        let pem = try fields.optionalText("pem", limit: 4_096)
        guard (path == nil) != (pem == nil) else {
            throw fields.problem(
                "file", found: path == nil ? "nothing" : "file and pem", expected: "either file or pem",
                cure: "name the file of the public key, or write the key itself as pem")
        }
        return (path, pem ?? "")
    }

    private static func publicKey(_ material: KeyMaterial, file: String) throws(KeyProblem) -> SignaturePublicKey {
        guard !material.hasSecret else {
            throw .privateAmongApples(file: file)
        }
        return try SignaturePublicKey(material, file: file)
    }

    private static func records(
        of key: SignaturePublicKey, _ fields: DocumentFields
    ) throws(DocumentProblem) -> (records: [AppleKeyRecord], warning: String?) {
        let signers = try signers(fields)
        for signer in signers where signer.curve != key.curve {
            throw fields.problem(
                signer.framework == .skAdNetwork ? "versions" : "kid",
                found: "\(signer.name) with a key on \(key.curve.displayName)",
                expected: "a key on P-192 for 1.0 and 2.0, and on P-256 for everything else",
                cure: "name the key that Apple published for it")
        }
        let use: Use = try fields.choice("use")
        let from = try day("from", fields)
        let until = try day("until", fields)
        let validity = AppleKeyRecord.always
        guard from ?? validity.lowerBound < until ?? validity.upperBound else {
            throw fields.problem(
                "until", found: fields.summary("until"), expected: "a day after from", cure: "write a later day")
        }
        let kind = use == .production ? "key" : "development key"
        let name = "Apple's added \(kind) \(key.curve.displayName) \(key.fingerprint.prefix(16))"
        let records = signers.map { signer in
            AppleKeyRecord(
                name: name, publicKey: key.subjectPublicKeyInfo, signer: signer, provenance: use.provenance,
                validity: (from ?? validity.lowerBound)..<(until ?? validity.upperBound))
        }
        let builtIn = AppleKeyRecord.builtIn.filter { $0.publicKey == key.subjectPublicKeyInfo }
        guard let first = builtIn.first else {
            return (records, nil)
        }
        let repeated = builtIn.filter { record in records.contains { $0.isSame(as: record) } }
        guard repeated.count == records.count, from == nil, repeated.allSatisfy({ $0.provenance == use.provenance })
        else {
            throw fields.problem(
                from == nil ? "use" : "from", found: "a key that is built in, with other uses or a first day",
                expected: "of \(first.name), for what it verifies, nothing but \"until\"",
                cure: "leave it out, or retire it with \"until\"")
        }
        let names = signers.map(\.name).joined(separator: ", ")
        return (
            records,
            until == nil
                ? "\(first.name) is built in, so the entry for \(names) changes nothing"
                : "\(first.name) is retired for \(names): what is first received from "
                    + "\(fields.summary("until")) on does not verify under it"
        )
    }

    /// What the key is to verify.
    private static func signers(_ fields: DocumentFields) throws(DocumentProblem) -> [PostbackSigner] {
        let framework: PostbackFramework = try fields.choice("framework")
        let (name, other) = framework == .skAdNetwork ? ("versions", "kid") : ("kid", "versions")
        guard !fields.has(other) else {
            throw fields.problem(
                other, found: fields.summary(other), expected: "nothing: \(framework.rawValue) has \(name)",
                cure: "write \(name) instead")
        }
        guard framework == .skAdNetwork else {
            let text = try fields.text("kid")
            let keyID = PostbackKeyID(text)
            guard text.utf8.count <= longestKeyID, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
                keyID != .test
            else {
                throw fields.problem(
                    "kid", found: fields.summary("kid"),
                    expected: "a kid of 1 to \(longestKeyID) characters of ASCII, and not the one of test keys",
                    cure: "write it as it is in the header of Apple's postbacks")
            }
            return [.adAttributionKit(keyID)]
        }
        let versions: [SKAdNetworkVersion] = try fields.choices("versions")
        guard !versions.isEmpty, Set(versions).count == versions.count else {
            throw fields.problem(
                "versions", found: fields.summary("versions"),
                expected: "one or more of \(SKAdNetworkVersion.list), each once",
                cure: "write for example [\"3.0\", \"4.0\"]")
        }
        return versions.map { .skAdNetwork($0) }
    }

    /// The first moment of a day, in Unix milliseconds.
    private static func day(_ name: String, _ fields: DocumentFields) throws(DocumentProblem) -> Int64? {
        guard let text = try fields.optionalText(name) else {
            return nil
        }
        guard let day = CalendarDay(text) else {
            throw fields.problem(
                name, found: fields.summary(name), expected: "a day as YYYY-MM-DD",
                cure: "write it as \"2027-01-31\"")
        }
        return day.start(in: .gmt)
    }
}
