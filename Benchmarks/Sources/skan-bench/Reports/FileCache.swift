import Foundation
import Glibc

/// The system's cache of files.
enum FileCache {
    /// Empties it; false when this process may not.
    static func drop() -> Bool {
        sync()
        guard let handle = FileHandle(forWritingAtPath: "/proc/sys/vm/drop_caches") else {
            return false
        }
        defer { try? handle.close() }
        return (try? handle.write(contentsOf: Data("3\n".utf8))) != nil
    }
}
