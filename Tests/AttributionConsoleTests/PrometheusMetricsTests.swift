import AttributionConsole
import Dispatch
import Metrics
import Testing

@Suite("Metrics for Prometheus")
struct PrometheusMetricsTests {
    @Test("Counters, gauges and histograms in the text format")
    func text() {
        let metrics = PrometheusMetrics()
        let counter = Counter(label: "b_total", dimensions: [("route", "/x"), ("status", "200")], factory: metrics)
        counter.increment(by: 3)
        Counter(label: "b_total", dimensions: [("route", "/x"), ("status", "200")], factory: metrics).increment()
        Counter(label: "b_total", dimensions: [("route", "/a"), ("status", "200")], factory: metrics).increment()
        Gauge(label: "a.depth", factory: metrics).record(2.5)
        let timer = Timer(label: "c_seconds", factory: metrics)
        timer.recordMilliseconds(Int64(1))
        timer.recordMilliseconds(Int64(30))
        timer.recordSeconds(Int64(60))
        #expect(
            metrics.text == """
                # TYPE a_depth gauge
                a_depth 2.5
                # TYPE b_total counter
                b_total{route="/a",status="200"} 1
                b_total{route="/x",status="200"} 4
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

                """)
    }

    @Test(
        "Names and values are made safe",
        arguments: [
            ("a-b.c", "k", "v", #"a_b_c{k="v"} 1"#),
            ("9a", "k-1", "v", #"_a{k_1="v"} 1"#),
            ("a:b", "k:l", "v", #"a:b{k_l="v"} 1"#),
            ("a", "k", "x\"y\\z\nw", #"a{k="x\"y\\z\nw"} 1"#),
            ("ä", "ö", "ü", #"_{_="ü"} 1"#),
        ])
    func escaping(_ label: String, _ key: String, _ value: String, _ line: String) {
        let metrics = PrometheusMetrics()
        Counter(label: label, dimensions: [(key, value)], factory: metrics).increment()
        #expect(metrics.text.split(separator: "\n").last.map { String($0) } == line)
    }

    @Test("A name asked for as another kind keeps its first kind")
    func kinds() {
        let metrics = PrometheusMetrics()
        Counter(label: "a", factory: metrics).increment()
        Timer(label: "a", factory: metrics).recordSeconds(Int64(1))
        Timer(label: "a", dimensions: [("k", "v")], factory: metrics).recordSeconds(Int64(1))
        #expect(metrics.text == "# TYPE a counter\na 1\n")
    }

    @Test("Counting from many threads loses nothing")
    func threads() {
        let metrics = PrometheusMetrics()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let counter = Counter(label: "a_total", factory: metrics)
            let recorder = Recorder(label: "size", factory: metrics)
            for _ in 0..<1_000 {
                counter.increment()
                recorder.record(2)
            }
        }
        #expect(metrics.text.contains("a_total 8000\n"))
        #expect(metrics.text.contains("size_bucket{le=\"1.0\"} 0\nsize_bucket{le=\"4.0\"} 8000\n"))
        #expect(metrics.text.contains("size_sum 16000.0\nsize_count 8000\n"))
    }
}
