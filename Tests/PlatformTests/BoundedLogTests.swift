import Attribution
import Foundation
import Logging
import Platform
import Testing

@Suite("Text on a terminal")
struct ShownTextTests {
    @Test(
        "What a terminal obeys instead of showing it is escaped; lines, tabs and letters are kept",
        arguments: [
            ("Zürich\t漢字\n", "Zürich\t漢字\n"), ("a\u{1B}[31mb\u{07}", #"a\u{1b}[31mb\u{7}"#), ("a\rb", #"a\u{d}b"#),
            ("a\u{202E}b\u{2066}c\u{200F}", #"a\u{202e}b\u{2066}c\u{200f}"#),
            ("a\u{2028}\u{9B}1m", #"a\u{2028}\u{9b}1m"#),
        ])
    func shown(_ text: String, _ shown: String) {
        #expect(text.shown == shown)
    }
}

@Suite("The bounded log", .timeLimit(.minutes(5)))
struct BoundedLogTests {
    /// A pipe, its log, and a logger for it.
    private struct Piped {
        let pipe = Pipe()
        let log: BoundedLog
        let logger: Logger

        init(format: LogFormat = .text, lines: Int = 10_000, bytes: Int = 1 << 20, level: Logger.Level = .info) {
            let log = BoundedLog(
                descriptor: pipe.fileHandleForWriting.fileDescriptor, format: format, lines: lines, bytes: bytes)
            self.log = log
            logger = Logger(label: "test") { _ in BoundedLogHandler(log, logLevel: level, describe: logFields) }
        }

        /// Logs a last line concurrently, as soon as there is room for it.
        func end() {
            let (log, logger) = (log, logger)
            Thread {
                while !log.flush(within: .seconds(1)) {}
                logger.info("after")
            }.start()
        }

        /// Reads until a text arrives.
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

    @Test("An error is its message, its code and its hint", arguments: [LogFormat.text, .json])
    func error(format: LogFormat) throws {
        let piped = Piped(format: format)
        piped.logger.error("m", error: Refusal(.storeFailed, "it failed", hint: "try again"), metadata: ["a": "b"])
        let line = try #require(piped.read(until: "\n").first)
        #expect(
            line.hasSuffix(
                format == .text
                    ? #"error m a=b code=store-failed error="it failed" hint="try again""#
                    : #""message":"m","a":"b","code":"store-failed","error":"it failed","hint":"try again"}"#),
            "\(line)")
    }

    static let objects = [
        Row(testDescription: "a message alone", message: "stopped", line: #""message":"stopped"}"#),
        Row(
            testDescription: "fields in the order of their names", message: "listening",
            fields: ["store": "a.sqlite", "address": "127.0.0.1:8080"],
            line: #""message":"listening","address":"127.0.0.1:8080","store":"a.sqlite"}"#),
        Row(
            testDescription: "what JSON escapes, and what hides or turns text", message: "m\n\"x\" \\",
            fields: ["a": "\r\u{1b}[31m", "b": "\u{202e}x", "c": "\u{e0001}"],
            line: ##""message":"m\n\"x\" \\","a":"\u000d\u001b[31m","b":"\u202ex","c":"\udb40\udc01"}"##),
        Row(
            testDescription: "letters beyond ASCII stay", message: "m", fields: ["a": "Zürich 😀"],
            line: #""message":"m","a":"Zürich 😀"}"#),
        Row(
            testDescription: "names that are taken", message: "m", fields: ["level": "a", "message": "b", "time": "c"],
            line: #""message":"m","field.level":"a","field.message":"b","field.time":"c"}"#),
    ]

    @Test("As JSON, a line is one object with the same content", arguments: objects)
    func object(row: Row) throws {
        let piped = Piped(format: .json)
        piped.logger.notice("\(row.message)", metadata: row.fields)
        let line = try #require(piped.read(until: "\n").first)
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(object["level"] == "notice" && object["message"] == row.message)
        let time = try #require(object["time"])
        #expect(line == #"{"time":"\#(time)","level":"notice","# + row.line)
    }

    @Test(
        "As JSON, a line that is too long is cut inside its strings",
        arguments: ["ä", "\u{1}", "\u{e0001}", "\"", "😀", "x"])
    func objectBounds(_ character: String) throws {
        let piped = Piped(format: .json)
        let long = String(repeating: character, count: 10_000)
        piped.logger.info("\(long)", metadata: ["a": "\(long)", "b": "\(long)", "c": "d"])
        let line = try #require(piped.read(until: "\n").first)
        #expect(line.utf8.count < 8 * 1024)
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(object["message"]?.hasSuffix("…") == true && object["a"]?.hasSuffix("…") == true)
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

    @Test("Logging never waits for a reader, and dropped lines are counted once there is one")
    func stalled() throws {
        let piped = Piped(lines: 100, bytes: 1 << 20)
        let text = String(repeating: "x", count: 1_000)
        // More than a 64 KiB pipe and two full queues.
        for number in 0..<1_000 { piped.logger.info("\(number) \(text)") }
        #expect(!piped.log.flush(within: .milliseconds(10)))
        piped.end()
        let lines = piped.read(until: "after")
        // The number dropped depends on scheduling, but every line must be accounted for.
        let written = lines.compactMap { $0.firstMatch(of: /info ([0-9]+) x/).flatMap { Int($0.1) } }
        let dropped = lines.compactMap {
            $0.firstMatch(of: /were dropped because nothing read them count=([0-9]+)$/).flatMap { Int($0.1) }
        }
        #expect(written.count >= 100 && written.count < 1_000)
        #expect(written == written.sorted() && Set(written).count == written.count)
        #expect(written.count + dropped.reduce(0, +) == 1_000)
    }

    @Test("A flush waits for the lines logged before it")
    func flush() {
        let piped = Piped()
        #expect(piped.log.flush(within: .zero), "nothing was logged")
        for number in 0..<10 { piped.logger.info("\(number)") }
        #expect(piped.log.flush(within: .seconds(10)))
        #expect(piped.read(until: "info 9\n").count == 10)
    }

    @Test("Logging continues after a failed write, and lost lines are counted")
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
