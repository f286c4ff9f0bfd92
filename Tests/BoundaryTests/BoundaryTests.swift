import Foundation
import Testing

/// The build lets a target import what its dependencies depend on; this table does not.
@Suite("Boundaries between the targets")
struct BoundaryTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let mayImport: [(String, Set<String>)] = [
        ("StrictJSON", []),
        ("FixedKeyECDSA", []),
        ("Hashing", ["COpenSSL"]),
        ("CheckedFiles", ["Glibc", "Musl"]),
        ("APIDescription", []),
        ("BoundedLogging", ["Dispatch", "Foundation", "Glibc", "Logging", "Musl", "Synchronization"]),
        ("Attribution", ["FoundationEssentials", "StrictJSON"]),
        (
            "AttributionSigning",
            [
                "Attribution", "CheckedFiles", "COpenSSL", "FixedKeyECDSA", "Foundation", "Hashing", "StrictJSON",
                "Synchronization",
            ]
        ),
        (
            "AttributionStore",
            [
                "Attribution", "CFileSystem", "Dispatch", "Foundation", "GRDB", "GRDBSQLite", "Hashing", "StrictJSON",
                "Synchronization",
            ]
        ),
        (
            "AttributionIngest",
            [
                "Attribution", "AttributionSigning", "AttributionStore", "BoundedLogging", "Dispatch", "Foundation",
                "Logging", "Metrics", "ServiceLifecycle", "StrictJSON", "Synchronization",
            ]
        ),
        ("AttributionReports", ["Attribution", "AttributionStore", "Foundation", "StrictJSON"]),
        (
            "AttributionAccess",
            [
                "Attribution", "CheckedFiles", "FoundationEssentials", "Glibc", "Hashing", "Logging", "Musl",
                "StrictJSON", "Synchronization",
            ]
        ),
        (
            "AttributionListener",
            [
                "BoundedLogging", "CheckedFiles", "Darwin", "FoundationEssentials", "Glibc", "Logging", "Metrics",
                "Musl",
                "NIOCore", "NIOPosix", "NIOSSL", "ServiceLifecycle", "Synchronization",
            ]
        ),
        (
            "AttributionConsole",
            [
                "APIDescription", "Attribution", "AttributionAccess", "AttributionIngest", "AttributionListener",
                "AttributionReports", "AttributionSigning", "AttributionStore", "BoundedLogging",
                "FoundationEssentials",
                "Glibc", "HTTPTypes", "Hummingbird", "HummingbirdCore", "Logging", "Metrics", "Musl", "NIOCore",
                "NIOHTTP1", "NIOPosix", "NIOSSL", "ServiceLifecycle", "StrictJSON", "Synchronization",
            ]
        ),
        (
            "AttributionServer",
            [
                "Attribution", "AttributionAccess", "AttributionConsole", "AttributionIngest", "AttributionListener",
                "AttributionReports", "AttributionSigning", "AttributionStore", "BoundedLogging", "Dispatch",
                "Foundation", "FoundationEssentials", "Logging", "Metrics", "ServiceLifecycle", "StrictJSON",
                "Synchronization", "UnixSignals",
            ]
        ),
        (
            "AttributionHarness",
            [
                "AsyncHTTPClient", "Attribution", "AttributionSigning", "Foundation", "NIOCore", "NIOHTTP1",
                "StrictJSON", "Synchronization",
            ]
        ),
    ]

    static func sources(_ target: String) throws -> [URL] {
        let folder = root.appendingPathComponent("Sources/\(target)")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
    }

    @Test("A target imports what its row allows and nothing else", arguments: mayImport)
    func imports(_ target: String, _ allowed: Set<String>) throws {
        let files = try Self.sources(target)
        #expect(!files.isEmpty)
        for file in files {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: "import"), place <= 1, place + 1 < words.count else {
                    continue
                }
                // `import struct Module.Name` names its kind first.
                let kinds = ["class", "enum", "protocol", "struct"]
                let name = words.dropFirst(place + 1).first { !kinds.contains(String($0)) } ?? ""
                let module = String(name.prefix { $0 != "." })
                #expect(allowed.contains(module), "\(file.lastPathComponent) imports \(module)")
            }
        }
    }

    @Test("Every target has its row")
    func complete() throws {
        let targets = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appendingPathComponent("Sources").path
        ).filter { try !Self.sources($0).isEmpty }
        #expect(Set(targets) == Set(Self.mayImport.map(\.0) + ["skan"]))
    }

    @Test("A folder can be taken in at a glance: sixteen files at most")
    func folders() throws {
        let sources = Self.root.appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        let swift = (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
        for (folder, files) in Dictionary(grouping: swift, by: { $0.deletingLastPathComponent().path }) {
            #expect(files.count <= 16, "\(folder) holds \(files.count)")
        }
        #expect(!swift.isEmpty)
    }

    @Test("The verifier alone vouches for a postback")
    func vouching() throws {
        for (target, _) in Self.mayImport + [("skan", [])] {
            for file in try Self.sources(target) where file.lastPathComponent != "VerifiedPostback.swift" {
                let isCaller = try String(contentsOf: file, encoding: .utf8).contains("VerifiedPostback(verified:")
                #expect(isCaller == (file.lastPathComponent == "PostbackVerifier.swift"), "\(file.lastPathComponent)")
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
