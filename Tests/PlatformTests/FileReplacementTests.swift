import Foundation
import Platform
import Testing

@Suite("Replacing a file")
struct FileReplacementTests {
    private let folder: String
    private let files = FileManager.default

    init() throws {
        folder = NSTemporaryDirectory() + "replacement-\(UUID())"
        try files.createDirectory(atPath: folder + "/far", withIntermediateDirectories: true)
    }

    /// Links of the folder, each with where it leads, `@` for the folder; and the file that `list` names.
    static let links: [(links: [(String, String)], target: String)] = [
        ([], "list"), ([("list", "far/list")], "far/list"), ([("list", "@/far/list")], "far/list"),
        ([("list", "next"), ("next", "far/list")], "far/list"), ([("data", "far"), ("list", "data/list")], "far/list"),
        ([("far/next", "list"), ("list", "far/next")], "far/list"),
    ]

    private func link(_ links: [(String, String)]) throws {
        for (name, target) in links {
            try files.createSymbolicLink(
                atPath: "\(folder)/\(name)", withDestinationPath: target.replacingOccurrences(of: "@", with: folder))
        }
    }

    @Test(
        "A symlink stays, and what it leads to is replaced, or made where there is nothing", arguments: links,
        [0o440, nil])
    func symlinks(_ row: (links: [(String, String)], target: String), _ mode: Int?) throws {
        defer { try? files.removeItem(atPath: folder) }
        let (path, target) = (folder + "/list", "\(folder)/\(row.target)")
        if let mode {
            #expect(files.createFile(atPath: target, contents: nil, attributes: [.posixPermissions: mode]))
        }
        try link(row.links)
        let replacement = try FileReplacement(locking: path)
        try replacement.replace(with: Array("new".utf8), mode: 0o600)
        try FileReplacement.replace(path, with: Array("newer".utf8), mode: 0o600)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "newer")
        let kept = try files.attributesOfItem(atPath: target)[.posixPermissions] as? NSNumber
        #expect(kept?.intValue == mode ?? 0o600)
        for (name, _) in row.links {
            let type = try files.attributesOfItem(atPath: "\(folder)/\(name)")[.type] as? FileAttributeType
            #expect(type == .typeSymbolicLink)
        }
        let left = try files.subpathsOfDirectory(atPath: folder)
        #expect(!left.contains { $0.hasSuffix(".new") }, "\(left)")
        #expect(try ResolvedPath(path) == ResolvedPath(target))
    }

    @Test(
        "Links in a circle and folders that are missing are refused",
        arguments: [("list", "Too many levels"), ("none/list", "No such file"), ("away", "No such file")])
    func refused(_ name: String, _ reason: String) throws {
        defer { try? files.removeItem(atPath: folder) }
        try link([("list", "next"), ("next", "list"), ("away", "none/list")])
        let problem = #expect(throws: FileReplacement.Problem.self) {
            try FileReplacement.replace("\(folder)/\(name)", with: [], mode: 0o600)
        }
        #expect(problem?.reason.hasPrefix(reason) == true, "\(problem as Any)")
        let unresolved = #expect(throws: ResolvedPath.Problem.self) { try ResolvedPath("\(folder)/\(name)") }
        let missing = unresolved?.missingFolder.map { URL(fileURLWithPath: $0).lastPathComponent }
        #expect(missing == (reason == "No such file" ? "none" : nil))
    }

    @Test("Two names of one file, and no others, lead to the same file")
    func sameFile() throws {
        defer { try? files.removeItem(atPath: folder) }
        for name in ["list", "other"] {
            #expect(files.createFile(atPath: "\(folder)/\(name)", contents: nil))
        }
        try files.linkItem(atPath: folder + "/list", toPath: folder + "/hard")
        try link([("soft", "hard")])
        let found = try ["list", "hard", "soft", "other", "none"].map { try ResolvedPath("\(folder)/\($0)").file }
        #expect(Set(found[..<3]).count == 1 && found[0] != nil && found[3] != nil && found[3] != found[0])
        #expect(found[4] == nil)
    }
}
