import Foundation
import Glibc

/// What the kernel says of a running process.
struct ProcessFigures {
    /// Of all its threads, since it began.
    let cpuSeconds: Double
    let residentMegabytes: Double
    /// The most it had resident since it began, or since ``resetPeak(of:)``.
    let peakMegabytes: Double

    init(_ pid: pid_t) throws {
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        // The second field is the name in parentheses and may hold spaces; the fields after it are fixed.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
            throw BenchmarkFailure("cannot read /proc/\(pid)/stat")
        }
        cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        func megabytes(_ name: String) throws -> Double {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            guard let words = line?.split(whereSeparator: \.isWhitespace), words.count > 1,
                let kilobytes = Double(words[1])
            else {
                throw BenchmarkFailure("cannot read \(name) in /proc/\(pid)/status")
            }
            return kilobytes / 1024
        }
        residentMegabytes = try megabytes("VmRSS:")
        peakMegabytes = try megabytes("VmHWM:")
    }

    /// Lets the peak begin anew.
    static func resetPeak(of pid: pid_t) throws {
        try "5".write(toFile: "/proc/\(pid)/clear_refs", atomically: false, encoding: .utf8)
    }
}
