import Foundation

/// Files that tests need.
package enum Fixture {
    /// The path of a file.
    package static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)").path
    }

    /// The path of a copy that its owner alone can read, for the caller to remove.
    package static func secret(_ name: String) throws -> String {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())-\(name)").path
        try FileManager.default.copyItem(atPath: path(name), toPath: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
        return copy
    }
}
