import CLinux
import Glibc

/// The two cores of a measurement: the server has the first, the load generator the second.
enum Core {
    static let server = 0
    static let load = isSingle ? 0 : 1
    /// Those of what is measured on both, as `taskset` names them.
    static let both = isSingle ? "0" : "0,1"
    private static let isSingle = sysconf(Int32(_SC_NPROCESSORS_ONLN)) < 2

    /// Does work with the calling thread kept on one core.
    static func pinned<Value>(to core: Int, _ work: () throws -> Value) rethrows -> Value {
        var former = cpu_set_t()
        sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &former)
        var set = cpu_set_t()
        withUnsafeMutableBytes(of: &set) { $0[core / 8] |= 1 << UInt8(core % 8) }
        sched_setaffinity(0, MemoryLayout<cpu_set_t>.size, &set)
        defer { sched_setaffinity(0, MemoryLayout<cpu_set_t>.size, &former) }
        return try work()
    }
}
