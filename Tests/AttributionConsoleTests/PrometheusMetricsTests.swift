import AttributionConsole
import Dispatch
import Metrics
import Testing

@Suite("Metrics for Prometheus")
struct PrometheusMetricsTests {
    /// What these tests count, and nothing else.
    private static let families = [
        PrometheusFamily("a_depth", .gauge, "How deep it is."),
        PrometheusFamily("a_total", .counter, "All of them."),
        PrometheusFamily("b_total", .counter, "One of two \"lines\"."),
        PrometheusFamily("c_seconds", .histogram, "How long it took."),
        PrometheusFamily("unused_total", .counter, "Nothing was counted."),
    ]

    @Test("Each metric has its help, then its kind, then its samples")
    func text() {
        let metrics = PrometheusMetrics(Self.families)
        let counter = Counter(label: "b_total", dimensions: [("route", "/x"), ("status", "200")], factory: metrics)
        counter.increment(by: 3)
        Counter(label: "b_total", dimensions: [("route", "/x"), ("status", "200")], factory: metrics).increment()
        Counter(label: "b_total", dimensions: [("route", "/a"), ("status", "200")], factory: metrics).increment()
        let timer = Timer(label: "c_seconds", factory: metrics)
        timer.recordMilliseconds(Int64(1))
        timer.recordMilliseconds(Int64(30))
        timer.recordSeconds(Int64(60))
        #expect(
            metrics.text(with: [PrometheusSample("a_depth", 2.5)]) == #"""
                # HELP a_depth How deep it is.
                # TYPE a_depth gauge
                a_depth 2.5
                # HELP b_total One of two "lines".
                # TYPE b_total counter
                b_total{route="/a",status="200"} 1
                b_total{route="/x",status="200"} 4
                # HELP c_seconds How long it took.
                # TYPE c_seconds histogram
                c_seconds_bucket{le="0.0005"} 0
                c_seconds_bucket{le="0.001"} 1
                c_seconds_bucket{le="0.0025"} 1
                c_seconds_bucket{le="0.005"} 1
                c_seconds_bucket{le="0.01"} 1
                c_seconds_bucket{le="0.025"} 1
                c_seconds_bucket{le="0.05"} 2
                c_seconds_bucket{le="0.1"} 2
                c_seconds_bucket{le="0.25"} 2
                c_seconds_bucket{le="0.5"} 2
                c_seconds_bucket{le="1.0"} 2
                c_seconds_bucket{le="2.5"} 2
                c_seconds_bucket{le="5.0"} 2
                c_seconds_bucket{le="10.0"} 2
                c_seconds_bucket{le="+Inf"} 3
                c_seconds_sum 60.031
                c_seconds_count 3

                """#)
    }

    @Test(
        "A number has a fraction when it needs one",
        arguments: [
            (0, "0"), (-3, "-3"), (2.5, "2.5"), (1_795_262_400, "1795262400"), (1e300, "1e+300"),
        ] as [(Double, String)])
    func numbers(_ value: Double, _ text: String) {
        let metrics = PrometheusMetrics(Self.families)
        #expect(metrics.text(with: [PrometheusSample("a_depth", value)]).hasSuffix("\na_depth \(text)\n"))
    }

    @Test("What was collected is between what was counted, in the order of the names and labels")
    func collected() {
        let metrics = PrometheusMetrics(Self.families)
        Counter(label: "b_total", dimensions: [("part", "b")], factory: metrics).increment()
        let collected = [
            PrometheusSample("b_total", 3, labels: [("part", "c")]),
            PrometheusSample("b_total", 2, labels: [("part", "a\"")]), PrometheusSample("a_depth", 7),
        ]
        #expect(
            metrics.text(with: collected) == #"""
                # HELP a_depth How deep it is.
                # TYPE a_depth gauge
                a_depth 7
                # HELP b_total One of two "lines".
                # TYPE b_total counter
                b_total{part="a\""} 2
                b_total{part="b"} 1
                b_total{part="c"} 3

                """#)
    }

    @Test("A series that is counted and collected is shown once")
    func twice() {
        let metrics = PrometheusMetrics(Self.families)
        Counter(label: "a_total", factory: metrics).increment()
        let text = metrics.text(with: [PrometheusSample("a_total", 2), PrometheusSample("a_total", 3)])
        #expect(text.hasSuffix("counter\na_total 1\n"))
    }

    @Test("What is not declared is counted and collected, but not shown")
    func undeclared() {
        let metrics = PrometheusMetrics(Self.families)
        Counter(label: "other_total", factory: metrics).increment()
        Timer(label: "other_seconds", factory: metrics).recordSeconds(Int64(1))
        Gauge(label: "other", factory: metrics).record(1)
        #expect(metrics.text(with: [PrometheusSample("more", 1), PrometheusSample("c_seconds", 1)]).isEmpty)
    }

    @Test("Values are made safe")
    func escaping() {
        let metrics = PrometheusMetrics([PrometheusFamily("a", .counter, "Any.")])
        Counter(label: "a", dimensions: [("k", "x\"y\\z\nw")], factory: metrics).increment()
        #expect(metrics.text().hasSuffix(#"a{k="x\"y\\z\nw"} 1"# + "\n"))
    }

    @Test("A name asked for as another kind than the declared one is not shown as that")
    func kinds() {
        let metrics = PrometheusMetrics([PrometheusFamily("a", .counter, "Any.")])
        Counter(label: "a", factory: metrics).increment()
        Timer(label: "a", factory: metrics).recordSeconds(Int64(1))
        Timer(label: "a", dimensions: [("k", "v")], factory: metrics).recordSeconds(Int64(1))
        #expect(metrics.text() == "# HELP a Any.\n# TYPE a counter\na 1\n")
    }

    @Test("Counting from many threads loses nothing")
    func threads() {
        let metrics = PrometheusMetrics(Self.families)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let counter = Counter(label: "a_total", factory: metrics)
            let timer = Timer(label: "c_seconds", factory: metrics)
            for _ in 0..<1_000 {
                counter.increment()
                timer.recordSeconds(Int64(2))
            }
        }
        #expect(metrics.text().contains("a_total 8000\n"))
        #expect(metrics.text().contains("c_seconds_bucket{le=\"1.0\"} 0\nc_seconds_bucket{le=\"2.5\"} 8000\n"))
        #expect(metrics.text().contains("c_seconds_sum 16000.0\nc_seconds_count 8000\n"))
    }
}

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
