import Foundation
import Testing

/// The build finds a module that another target happened to build first; a clean build may not.
@Suite("Boundaries between the targets")
struct BoundaryTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// What comes with the toolchain is declared nowhere; of it, each target may use this.
    static let toolchain: [(String, Set<String>)] = [
        ("Platform", ["Dispatch", "Foundation", "Glibc", "Musl", "Synchronization"]),
        ("StrictJSON", ["Glibc", "Musl"]),
        ("FixedKeyECDSA", ["Glibc", "Musl"]),
        ("Attribution", ["FoundationEssentials"]),
        ("AttributionSigning", ["Foundation", "Synchronization"]),
        ("AttributionExplaining", ["Foundation", "Synchronization"]),
        ("AttributionStore", ["Foundation", "Synchronization"]),
        ("SQLiteStore", ["Dispatch", "Foundation", "Glibc", "Synchronization"]),
        ("PostgreSQLStore", ["Dispatch", "Foundation", "Synchronization"]),
        ("AttributionIngest", ["Dispatch", "Foundation", "Glibc", "Musl", "Synchronization"]),
        ("AttributionReports", ["Foundation"]),
        ("AttributionListener", ["Darwin", "Foundation", "FoundationEssentials", "Glibc", "Musl", "Synchronization"]),
        ("AttributionForwarding", ["Dispatch", "FoundationEssentials", "Synchronization"]),
        ("AttributionConsole", ["FoundationEssentials", "Glibc", "Musl", "Synchronization"]),
        ("AttributionServer", ["Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Musl", "Synchronization"]),
        ("AttributionHarness", ["Foundation", "Synchronization"]),
        ("skan", ["Dispatch", "Foundation", "Synchronization"]),
    ]

    /// The targets of the manifest, each with the quoted words of its stanza: among them its dependencies.
    static func manifest() throws -> [String: Set<String>] {
        let text = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let stanza = try Regex(
            #"\.(?:target|executableTarget|testTarget)\(\s*name: "(\w+)"(?s:(.*?))(?=\n        [.\]])"#)
        let word = try Regex(#""(\w+)""#)
        var targets: [String: Set<String>] = [:]
        for match in text.matches(of: stanza) {
            let name = String(match[1].substring ?? "")
            let words = (match[2].substring ?? "").matches(of: word).map { String($0[1].substring ?? "") }
            targets[name] = Set(words)
        }
        return targets
    }

    /// The modules that the Swift files of `folder` import, each with one file that does.
    static func imports(of folder: String) throws -> [String: String] {
        let line = try Regex(
            #"(?m)^(?:    )?(?:@\w+ )*(?:(?:public|package|internal|private) )?import (?:(?:struct|enum|class|protocol|func) )?(\w+)"#
        )
        var modules: [String: String] = [:]
        for file in try swiftFiles(folder) {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: line) {
                modules[String(match[1].substring ?? "")] = file.lastPathComponent
            }
        }
        return modules
    }

    static func swiftFiles(_ folder: String) throws -> [URL] {
        let files = FileManager.default.enumerator(
            at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
        return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
    }

    static func sources(_ target: String) throws -> [URL] {
        try swiftFiles("Sources/\(target)")
    }

    @Test("A target imports what it declares, and of the toolchain what its row allows", arguments: toolchain)
    func imports(_ target: String, _ allowed: Set<String>) throws {
        let declared = try #require(Self.manifest()[target])
        for (module, file) in try Self.imports(of: "Sources/\(target)") where module != target {
            #expect(declared.union(allowed).contains(module), "\(file) imports \(module)")
        }
    }

    @Test("Tests import what they declare")
    func testImports() throws {
        let ofTheToolchain: Set = [
            "Testing", "Foundation", "FoundationEssentials", "Synchronization", "Dispatch", "Glibc",
        ]
        let manifest = try Self.manifest()
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appendingPathComponent("Tests").path)
        for folder in folders where try !Self.swiftFiles("Tests/\(folder)").isEmpty {
            let declared = try #require(manifest[folder], "\(folder) has no target")
            for (module, file) in try Self.imports(of: "Tests/\(folder)") {
                #expect(declared.union(ofTheToolchain).contains(module), "\(folder)/\(file) imports \(module)")
            }
        }
    }

    @Test("Every target has its row")
    func complete() throws {
        let targets = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appendingPathComponent("Sources").path
        ).filter { try !Self.sources($0).isEmpty }
        #expect(Set(targets) == Set(Self.toolchain.map(\.0)))
        #expect(try Set(targets).isSubset(of: Self.manifest().keys))
    }

    @Test("One place writes refusals")
    func refusals() throws {
        for (target, _) in Self.toolchain {
            for file in try Self.sources(target) where file.lastPathComponent != "CodedError.swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(!text.contains(#".string("refused")"#), "\(file.lastPathComponent)")
            }
        }
    }

    @Test("No message quotes what Foundation says for programs")
    func localizedDescriptions() throws {
        for (target, _) in Self.toolchain {
            for file in try Self.sources(target) {
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(!text.contains("localizedDescription"), "\(file.lastPathComponent)")
            }
        }
    }

    @Test("The verifier alone vouches for a postback")
    func vouching() throws {
        for (target, _) in Self.toolchain {
            for file in try Self.sources(target) where file.lastPathComponent != "VerifiedPostback.swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for call in ["VerifiedPostback(verified:", "VerifiedUnknownPostback("] {
                    let isVerifier = file.lastPathComponent == "PostbackVerifier.swift"
                    #expect(text.contains(call) == isVerifier, "\(file.lastPathComponent)")
                }
            }
        }
    }

    @Test("Only the command line and explanations check values of impressions; others make them of what was read once")
    func drafts() throws {
        for (target, _) in Self.toolchain where !["skan", "AttributionExplaining"].contains(target) {
            for file in try Self.sources(target) {
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(!text.contains("ImpressionDraft("), "\(file.lastPathComponent)")
            }
        }
    }

    @Test("The domain has no clock and no randomness of its own")
    func purity() throws {
        for file in try Self.sources("Attribution") {
            let text = try String(contentsOf: file, encoding: .utf8)
            for reach in [
                "Date()", "SystemRandomNumberGenerator", "UUID()", ".random(in: 0..<16)", "FileManager", "Clock.now",
            ] {
                #expect(!text.contains(reach), "\(file.lastPathComponent) reaches for \(reach)")
            }
        }
    }
}
