import BoundedLogging
import Foundation
import Logging
import Testing

@Suite("The bounded log", .timeLimit(.minutes(5)))
struct BoundedLogTests {
    /// A pipe, its log, and a logger for it.
    private struct Piped {
        let pipe = Pipe()
        let log: BoundedLog
        let logger: Logger

        init(lines: Int = 10_000, bytes: Int = 1 << 20, level: Logger.Level = .info) {
            let log = BoundedLog(descriptor: pipe.fileHandleForWriting.fileDescriptor, lines: lines, bytes: bytes)
            self.log = log
            logger = Logger(label: "test") { _ in BoundedLogHandler(log, logLevel: level) }
        }

        /// Logs a last line as soon as there is room for it, beside the caller.
        func end() {
            let (log, logger) = (log, logger)
            Thread {
                while !log.flush(within: .seconds(1)) {}
                logger.info("after")
            }.start()
        }

        /// Reads until a text has come.
        func read(until text: String) -> [String] {
            var read = ""
            while !read.contains(text) {
                let more = pipe.fileHandleForReading.availableData
                guard !more.isEmpty else { break }
                read += String(decoding: more, as: UTF8.self)
            }
            return read.split(separator: "\n").map { String($0) }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let message: String
        var fields: Logger.Metadata = [:]
        let line: String
    }

    static let rows = [
        Row(testDescription: "a message alone", message: "stopped", line: "notice stopped"),
        Row(
            testDescription: "fields in the order of their names", message: "listening",
            fields: ["store": "a.sqlite", "address": "127.0.0.1:8080"],
            line: "notice listening address=127.0.0.1:8080 store=a.sqlite"),
        Row(
            testDescription: "values with spaces, quotes and nothing in them", message: "m",
            fields: ["a": "x y", "b": "say \"hi\" \\ now", "c": ""],
            line: #"notice m a="x y" b="say \"hi\" \\ now" c="""#),
        Row(
            testDescription: "no text makes a line of its own", message: "m\n2026 error x",
            fields: ["a": "b\n2026 error y", "c": "\r\u{1b}[31m"],
            line: #"notice m\n2026 error x a="b\n2026 error y" c="\u{d}\u{1b}[31m""#),
        Row(
            testDescription: "letters beyond ASCII stay", message: "m", fields: ["a": "Zürich", "b": "\u{202e}x"],
            line: #"notice m a="Zürich" b="\u{202e}x""#),
    ]

    @Test("A line is time, level, message and fields", arguments: rows)
    func format(row: Row) throws {
        let piped = Piped()
        piped.logger.notice("\(row.message)", metadata: row.fields)
        let line = try #require(piped.read(until: "\n").first)
        let time = line.prefix { $0 != " " }
        #expect(time.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ/) != nil)
        #expect(line.dropFirst(time.count + 1) == row.line)
    }

    @Test("A line that is too long is cut, and levels below the logger's are left out")
    func bounds() throws {
        let piped = Piped()
        piped.logger.debug("below")
        piped.logger.info("above", metadata: ["a": "\(String(repeating: "ä", count: 100_000))"])
        let lines = piped.read(until: "\n")
        #expect(lines.count == 1)
        #expect(lines[0].utf8.count <= 8 * 1024)
        #expect(lines[0].hasSuffix("…"))
    }

    @Test("Nobody who logs waits for a reader; what was dropped is counted when there is one")
    func stalled() throws {
        let piped = Piped(lines: 100, bytes: 1 << 20)
        let text = String(repeating: "x", count: 1_000)
        // 64 KiB of a pipe and two full queues are less than this.
        for number in 0..<1_000 { piped.logger.info("\(number) \(text)") }
        #expect(!piped.log.flush(within: .milliseconds(10)))
        piped.end()
        let lines = piped.read(until: "after")
        // How far the thread came before the queue was full is the system's business; that all are accounted for is not.
        let written = lines.compactMap { $0.firstMatch(of: /info ([0-9]+) x/).flatMap { Int($0.1) } }
        let dropped = lines.compactMap {
            $0.firstMatch(of: /were dropped, for nobody read them count=([0-9]+)$/).flatMap { Int($0.1) }
        }
        #expect(written.count >= 100 && written.count < 1_000)
        #expect(written == written.sorted() && Set(written).count == written.count)
        #expect(written.count + dropped.reduce(0, +) == 1_000)
    }

    @Test("A flush waits for what was logged before it")
    func flush() {
        let piped = Piped()
        #expect(piped.log.flush(within: .zero), "nothing was logged")
        for number in 0..<10 { piped.logger.info("\(number)") }
        #expect(piped.log.flush(within: .seconds(10)))
        #expect(piped.read(until: "info 9\n").count == 10)
    }

    @Test("A descriptor that takes nothing is no reason to stop, and lines lost to it are counted")
    func broken() throws {
        signal(SIGPIPE, SIG_IGN)
        let piped = Piped()
        try piped.pipe.fileHandleForReading.close()
        piped.logger.info("lost")
        #expect(piped.log.flush(within: .seconds(10)))
        piped.logger.info("lost")
        #expect(piped.log.flush(within: .seconds(10)))
    }
}
