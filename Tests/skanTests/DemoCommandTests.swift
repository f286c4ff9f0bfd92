import Foundation
import TestSupport
import Testing

@Suite("The demo of a month")
struct DemoCommandTests {
    private let folder: WorkFolder

    init() throws {
        folder = try WorkFolder()
    }

    /// Starts the demo, reads until the page is served, and returns its address.
    private func start() throws -> (demo: ChildProcess, console: String) {
        let demo = ChildProcess(limit: .seconds(120))
        let errors = Pipe()
        demo.executableURL = SkanProcess.binary
        demo.arguments = ["demo", "--folder", "made", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0"]
        demo.currentDirectoryURL = folder.url
        demo.standardError = errors
        try demo.run()
        var text = ""
        while !text.contains("Control-C") {
            let more = errors.fileHandleForReading.availableData
            try #require(!more.isEmpty, "\(text)")
            text += String(decoding: more, as: UTF8.self)
        }
        let address = try #require(text.firstMatch(of: #/http://[0-9.:]+/#))
        return (demo, String(address.output))
    }

    @Test("A month that ends today is served, the second time as it was made the first time")
    func month() throws {
        var reports: [String] = []
        for _ in 1...2 {
            let (demo, console) = try start()
            let report = try SkanProcess.run(
                SkanProcess.curl,
                ["-s", "--max-time", "20", "\(console)/v1/report?provenance=test&by=day&columns=postbacks&format=csv"],
                in: folder.url)
            reports.append(report.output)
            demo.send(SIGTERM)
            demo.waitUntilExit()
            #expect(demo.terminationStatus == 0)
        }
        let days = reports[0].split(whereSeparator: \.isNewline).filter { $0.contains(#/^\d{4}-\d\d-\d\d,[1-9]/#) }
        #expect((29...31).contains(days.count), "\(reports[0])")
        #expect(reports[0] == reports[1])
    }
}
