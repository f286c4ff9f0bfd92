import Foundation
import Glibc
import Synchronization

/// The folders of everything temporary, and the processes that were started: gone at the end.
final class Workspace: Sendable {
    /// Stores made beforehand; may be kept for the next run.
    let stores: String
    private let path: String
    private let keepsStores: Bool
    private let running = Mutex<Set<pid_t>>([])

    init(under parent: String, keepsStores: Bool) throws {
        path = "\(parent)/run-\(getpid())"
        stores = "\(parent)/stores"
        self.keepsStores = keepsStores
        for folder in [path, stores] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
    }

    func file(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// Removes a store with the files beside it.
    func remove(_ file: String) {
        for suffix in ["", "-wal", "-shm", "-journal", "-lock"] {
            try? FileManager.default.removeItem(atPath: file + suffix)
        }
    }

    /// Refuses to begin what would fill the disk.
    func demand(bytes: Int, for purpose: String) throws {
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: path)
        let free = (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? 0
        guard free > bytes else {
            throw BenchmarkFailure(
                "\(purpose) takes \((Double(bytes) / 1e9).shown) GB, \(path) has \((Double(free) / 1e9).shown) GB free; "
                    + "name another folder (--work) or fewer rows (--rows)")
        }
    }

    func began(_ pid: pid_t) {
        running.withLock { _ = $0.insert(pid) }
    }

    func ended(_ pid: pid_t) {
        running.withLock { _ = $0.remove(pid) }
    }

    func removeAll() {
        running.withLock { pids in
            for pid in pids {
                kill(pid, SIGKILL)
            }
        }
        try? FileManager.default.removeItem(atPath: path)
        if !keepsStores {
            try? FileManager.default.removeItem(atPath: stores)
        }
    }
}
