import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Writes labels and values in Prometheus' text format.
///
/// - SeeAlso: [Exposition formats](https://prometheus.io/docs/instrumenting/exposition_formats/)
enum PrometheusText {
    /// Labels as `name="value"`, comma-separated.
    static func labels(_ labels: [(String, String)]) -> String {
        labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
    }

    /// A number, without a fraction when it has none.
    static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func escaped(_ text: String) -> String {
        var value = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": value += "\\\\"
            case "\"": value += "\\\""
            case "\n": value += "\\n"
            default: value.unicodeScalars.append(scalar)
            }
        }
        return value
    }
}

/// The kernel's figures about this process, under the names that every Prometheus client uses.
///
/// - SeeAlso: [Process metrics](https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics),
///   [proc_pid_stat(5)](https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html)
package enum ProcessFigures {
    /// Reads `/proc/self`; missing figures are left out.
    @Sendable package static func collect() -> [PrometheusSample] {
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        let page = Double(sysconf(Int32(_SC_PAGESIZE)))
        let status = text("/proc/self/stat").map { samples(stat: $0, boot: bootedAt, ticks: ticks, page: page) }
        let limit = text("/proc/self/limits").flatMap { value(after: "Max open files ", in: $0) }
        // Reading the folder itself opens one.
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 }
        return (status ?? [])
            + [
                open.map { PrometheusSample("process_open_fds", Double($0)) },
                limit.map { PrometheusSample("process_max_fds", $0) },
            ].compactMap(\.self)
    }

    /// When the machine was started, in Unix seconds; read once, because the value changes when the clock is set.
    private static let bootedAt = text("/proc/stat").flatMap { value(after: "btime ", in: $0) }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }

    /// Reads a line of `/proc/self/stat`: the boot in Unix seconds, ticks a second, and bytes a page.
    package static func samples(stat: String, boot: Double?, ticks: Double, page: Double) -> [PrometheusSample] {
        // The second field is the program's name in parentheses, which may itself have spaces and parentheses.
        guard let name = stat.lastIndex(of: ")") else {
            return []
        }
        let fields = stat[name...].split(whereSeparator: \.isWhitespace).map { Double($0) }
        /// A field by its number in the manual, where the name is 2.
        func field(_ number: Int) -> Double? {
            fields.indices.contains(number - 2) ? fields[number - 2] : nil
        }
        guard let user = field(14), let system = field(15), let start = field(22), let resident = field(24) else {
            return []
        }
        return [
            PrometheusSample("process_cpu_seconds_total", (user + system) / ticks),
            PrometheusSample("process_resident_memory_bytes", resident * page),
        ] + (boot.map { [PrometheusSample("process_start_time_seconds", $0 + start / ticks)] } ?? [])
    }

    /// The first number after the beginning of a line.
    private static func value(after beginning: String, in text: String) -> Double? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(beginning) }
        return line?.dropFirst(beginning.count).split(separator: " ").first.flatMap { Double($0) }
    }
}
