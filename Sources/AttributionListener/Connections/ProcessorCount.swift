import FoundationEssentials
import NIOCore

/// How many threads of this process can run at the same time.
package enum ProcessorCount {
    /// The processors of the machine, or fewer where the process is confined: by its affinity, or a container's quota.
    package static var available: Int {
        let status = (try? Data(contentsOf: URL(filePath: "/proc/self/status"))) ?? Data()
        let allowed = allowed(String(decoding: status, as: UTF8.self)) ?? Int.max
        return max(1, min(System.coreCount, allowed))
    }

    /// How many processors the affinity allows, by the mask in `/proc/self/status`; nil if it is not there.
    package static func allowed(_ status: String) -> Int? {
        let field = "Cpus_allowed:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(field) }) else {
            return nil
        }
        let count = line.dropFirst(field.count).compactMap(\.hexDigitValue).reduce(0) { $0 + $1.nonzeroBitCount }
        return count > 0 ? count : nil
    }
}
