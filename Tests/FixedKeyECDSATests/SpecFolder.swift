import Foundation

/// The folder of specifications, which is not part of the package.
///
/// `SKAN_SPEC` names it; otherwise it is looked for as `shared/spec` beside the package or above.
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

    /// A folder within, if it is there.
    static func folder(_ name: String) -> URL? {
        guard let folder = url?.appendingPathComponent(name, isDirectory: true),
            FileManager.default.fileExists(atPath: folder.path)
        else { return nil }
        return folder
    }
}
