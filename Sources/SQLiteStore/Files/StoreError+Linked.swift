import AttributionStore
import Foundation

extension StoreError {
    /// Says that a file has several names.
    init(linked path: String, _ status: FileStatus) {
        self = .linked(path: path, names: status.names, folder: Self.topFolder(of: path))
    }

    /// The topmost folder of the file system that a file is on, below which all of its names are.
    private static func topFolder(of path: String) -> String {
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let device = FileStatus(path: folder.path)?.identity.device
        while folder.path != "/", case let parent = folder.deletingLastPathComponent(),
            FileStatus(path: parent.path)?.identity.device == device
        {
            folder = parent
        }
        return folder.path
    }
}
