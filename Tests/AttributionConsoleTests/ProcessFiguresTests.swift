import AttributionConsole
import Testing

@Suite("What the kernel says of the process")
struct ProcessFiguresTests {
    /// A line of `/proc/PID/stat` as the kernel writes it, with 100 ticks of user time, 50 of system time, a start 2,000
    /// ticks after the machine's and 3 resident pages.
    private static func stat(_ name: String) -> String {
        "4711 (\(name)) S 1 4711 4711 0 -1 4194560 900 0 0 0 100 50 7 9 20 0 5 0 2000 123456 3 18446744073709551615 1 1\n"
    }

    @Test(
        "The fields are found whatever the program is called",
        arguments: ["skan", "a b", "(", ")", ") S 1 (", "tail) R 1 2 3"])
    func names(_ name: String) {
        let samples = ProcessFigures.samples(stat: Self.stat(name), boot: 1_000, ticks: 100, page: 4_096)
        #expect(
            Dictionary(uniqueKeysWithValues: samples.map { ($0.name, $0.value) }) == [
                "process_cpu_seconds_total": 1.5, "process_resident_memory_bytes": 12_288,
                "process_start_time_seconds": 1_020,
            ])
    }

    @Test(
        "A line that is cut short says nothing",
        arguments: ["", "4711", "4711 (skan)", "4711 (skan) S 1 2 3", "1 (a) b"])
    func short(_ stat: String) {
        #expect(ProcessFigures.samples(stat: stat, boot: 0, ticks: 100, page: 4_096).isEmpty)
    }

    @Test("Here and now everything is known")
    func live() {
        let samples = ProcessFigures.collect()
        #expect(
            Set(samples.map(\.name)) == [
                "process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds",
                "process_open_fds", "process_max_fds",
            ])
        // The processor time may still be less than a tick.
        #expect(samples.allSatisfy { $0.value > 0 || $0.name == "process_cpu_seconds_total" })
    }
}
