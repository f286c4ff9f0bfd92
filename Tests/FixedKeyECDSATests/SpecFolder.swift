import Foundation

/// The folder of specifications, which is not part of the package.
///
/// `SKAN_SPEC` is its path; by default `shared/spec` next to the package or in a folder above.
enum SpecFolder {
    static let url: URL? = {
        if let path = ProcessInfo.processInfo.environment["SKAN_SPEC"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        var folder = URL(fileURLWithPath: #filePath)
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("shared/spec", isDirectory: true)
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
        }
        return nil
    }()

    /// A folder within, if it exists.
    static func folder(_ name: String) -> URL? {
        guard let folder = url?.appendingPathComponent(name, isDirectory: true),
            FileManager.default.fileExists(atPath: folder.path)
        else { return nil }
        return folder
    }
}
