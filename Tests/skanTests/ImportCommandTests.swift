import Foundation
import StrictJSON
import Testing

/// `skan import`: every form of file, and an import that is stopped, repeated or refused.
@Suite("skan import", .timeLimit(.minutes(10)))
struct ImportCommandTests: FolderSuite {
    let folder: WorkFolder
    /// Genuine postbacks under test keys.
    let bodies: [String]

    static let keys = SkanServer.testKeys
    /// 2026-11-01 00:30 UTC, and then every 90 minutes: some days and their boundaries.
    static let start: Int64 = 1_793_493_000

    init() throws {
        folder = try WorkFolder()
        _ = try SkanProcess.run(
            ["simulate", "--count", "40", "--faults", "0", "--output", "sim", "--keys", "keys"], in: folder.url)
        bodies = try String(contentsOfFile: folder.path("sim/postbacks.ndjson"), encoding: .utf8)
            .split(separator: "\n").map { String($0) }
    }

    private func importing(_ arguments: String..., store: String = "skan.sqlite") throws -> SkanProcess.Outcome {
        try skan(["import", "--store", store] + Self.keys + arguments)
    }

    private static func seconds(_ index: Int) -> Int64 {
        start + Int64(index) * 5_400
    }

    /// What is recorded: time of receipt and transaction id of each.
    private func recorded(_ store: String = "skan.sqlite") throws -> [String] {
        let lines = try skan(["export", "--store", store, "--test"]).output.split(separator: "\n")
        return try lines.map { line in
            let object = try JSONObject(reading: Array(line.utf8))
            guard case .string(let time)? = object["received-at"], case .string(let id)? = object["transaction-id"]
            else {
                return ""
            }
            return "\(time) \(id)"
        }.sorted()
    }

    private func deliveries(_ store: String = "skan.sqlite") throws -> String {
        let report = try skan(["report", "--store", store, "--test", "--by", "day", "--format", "json"]).output
        // The position names the store, and when it was recorded.
        return report.split(separator: "\n").filter { !$0.contains("\"as-of\"") && !$0.contains("recorded-at") }
            .joined(separator: "\n")
    }

    // MARK: Failed writes

    @Test(
        "Where a file cannot grow, what was committed stays, and the rest is imported once it can",
        arguments: [200, 300, 900, 2_000])
    func boundedFiles(_ blocks: Int) throws {
        _ = try skan(["simulate", "--count", "3000", "--faults", "0", "--output", "many", "--keys", "keys"])
        let records = try String(contentsOfFile: folder.path("many/postbacks.ndjson"), encoding: .utf8)
            .split(separator: "\n").map { "{\"received-at\":\(Self.start),\"body\":\($0)}" }
        try write(records.joined(separator: "\n") + "\n", to: "many.ndjson")
        // Writing beyond a bound on the size of files fails.
        let arguments = ["import", "--store", "skan.sqlite"] + Self.keys + ["many.ndjson"]
        let stopped = try run(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "trap '' XFSZ; ulimit -f \(blocks); exec \"$0\" \"$@\"", SkanProcess.binary.path] + arguments)
        #expect(stopped.status == 2, "\(stopped)")
        let before = try FileManager.default.fileExists(atPath: folder.path("skan.sqlite")) ? recorded() : []
        #expect(before.count < 3_000)
        let whole = try skan(arguments)
        #expect(whole.status == 0, "\(whole)")
        let after = try recorded()
        #expect(after.count == 3_000 && Set(after).isSuperset(of: before))
        #expect(try skan(["recount", "--store", "skan.sqlite"] + Self.keys).output.contains("differences: 0"))
    }

    // MARK: Forms

    static let forms = [
        "records", "strings", "array", "pretty", "csv", "semicolons", "fields", "nginx", "nginx-none", "nginx-json",
        "apache",
    ]

    private func line(_ body: String, _ index: Int, _ form: String) throws -> String {
        let time = Self.seconds(index)
        let iso = Date(timeIntervalSince1970: Double(time)).formatted(.iso8601)
        let log = try Self.logTime(time)
        let request = "\"POST /skadnetwork/postbacks HTTP/1.1\" 200 57 \"-\" \"cfnetwork\""
        let quoted = "\"" + body.replacingOccurrences(of: "\"", with: "\"\"") + "\""
        func escaped(_ quote: String, _ backslash: String) -> String {
            body.replacingOccurrences(of: "\\", with: backslash).replacingOccurrences(of: "\"", with: quote)
        }
        return switch form {
        case "records", "array": "{\"received\": \"\(iso)\", \"body\": \(body)}"
        case "pretty": "{\"received\": \"\(iso)\",\n\"body\": \(body)}"
        case "strings": JSONText.object([("body", .string(body)), ("timestamp", .integer(time))]).line
        case "csv": "\(time),x,\(quoted)"
        case "semicolons": "\(quoted);\(time)000"
        case "nginx": "192.0.2.1 - - [\(log)] \(request) \"\(escaped("\\x22", "\\x5C"))\""
        case "nginx-none": "192.0.2.1 - - [\(log)] \(request) \"\(body)\""
        case "nginx-json": JSONText.object([("time_local", .string(log)), ("request_body", .string(body))]).line
        default: "192.0.2.1 - - [\(log)] \(request) \"\(escaped("\\\"", "\\\\"))\""
        }
    }

    private static func logTime(_ seconds: Int64) throws -> String {
        let iso = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        let parts = iso.dropLast().split { "-T".contains($0) }
        return "\(parts[2])/Nov/\(parts[0]):\(parts[3]) +0000"
    }

    private func fields() throws -> String {
        let objects = try bodies.map { try JSONObject(reading: Array($0.utf8)) }
        let names = Set(objects.flatMap { $0.fields.map(\.name) }).sorted()
        let rows = objects.enumerated().map { index, object in
            let cells = names.map { name -> String in
                switch object[name] {
                case .string(let text)?: "\"" + text + "\""
                case .integer(let number)?: String(number)
                case .bool(let value)?: String(value)
                default: ""
                }
            }
            return (cells + [String(Self.seconds(index))]).joined(separator: ",")
        }
        return ([(names + ["received_at"]).joined(separator: ",")] + rows).joined(separator: "\r\n") + "\r\n"
    }

    private func text(_ form: String) throws -> String {
        if form == "fields" {
            return try fields()
        }
        let lines = try bodies.enumerated().map { try line($1, $0, form) }
        let get = "192.0.2.1 - - [01/Nov/2026:12:30:00 +0000] \"GET /healthz HTTP/1.1\" 200 2 \"-\" \"curl\" \"-\"\n"
        return switch form {
        case "array": "[\n" + lines.joined(separator: ",\n") + "\n]\n"
        case "csv": "\u{FEFF}Received,other,body\r\n" + lines.joined(separator: "\r\n") + "\r\n"
        case "semicolons": "postback;timestamp\n" + lines.joined(separator: "\n") + "\n"
        case "nginx", "nginx-none", "apache": get + lines.joined(separator: "\n") + "\n" + get
        default: lines.joined(separator: "\n") + "\n"
        }
    }

    @Test("Every form gives the same postbacks at the same times", arguments: forms)
    func everyForm(_ form: String) throws {
        try write(try text(form), to: "file")
        let outcome = try importing("file")
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
        #expect(outcome.output.contains(": recorded \(bodies.count), duplicate 0, conflict 0, quarantined 0,"))
        let expected = try bodies.enumerated().map { index, body in
            let object = try JSONObject(reading: Array(body.utf8))
            let time = Date(timeIntervalSince1970: Double(Self.seconds(index))).formatted(.iso8601).dropLast()
            guard case .string(let id)? = object["transaction-id"] else {
                return "\(time).000Z \(try #require(try Self.postbackIdentifier(object)))"
            }
            return "\(time).000Z \(id)"
        }.sorted()
        #expect(try recorded() == expected)
        let check = try skan(["recount", "--store", "skan.sqlite"] + Self.keys)
        #expect(check.status == 0, "\(check.output)")
    }

    private static func postbackIdentifier(_ object: JSONObject) throws -> String? {
        guard case .string(let jws)? = object["jws-string"] else {
            return nil
        }
        let payload = try #require(Base64URL.decode(jws.split(separator: ".")[1].utf8))
        guard case .string(let id)? = try JSONObject(reading: payload)["postback-identifier"] else {
            return nil
        }
        return id
    }

    @Test("Plain bodies need a time for all, and an export comes back with its own")
    func export() throws {
        let refused = try importing("sim/postbacks.ndjson")
        #expect(refused.status == 2)
        #expect(refused.errors.contains("sim/postbacks.ndjson, line 1: no time of receipt: expected one of received"))
        #expect(try importing("--received", "2026-11-01", "sim/postbacks.ndjson").status == 0)
        #expect(try recorded().allSatisfy { $0.hasPrefix("2026-11-01T00:00:00.000Z ") })
        try write(
            skan(["export", "--store", "skan.sqlite", "--test", "--bodies"]).output, to: "export.ndjson")
        try write(
            skan(["export", "--store", "skan.sqlite", "--test", "--bodies", "--format", "csv"]).output,
            to: "export.csv")
        #expect(try importing("export.ndjson", store: "second.sqlite").status == 0)
        #expect(try recorded("second.sqlite") == recorded())
        let repeated = try importing("export.csv", store: "second.sqlite")
        #expect(repeated.output.contains("recorded 0, duplicate 0,"), "\(repeated)")
        #expect(repeated.output.contains("already in the store 40,"), "\(repeated)")
    }

    @Test("Developers' copies are known by their path")
    func copies() throws {
        let log = try line(bodies[0], 0, "nginx").replacingOccurrences(
            of: "/skadnetwork/postbacks", with: "/.well-known/skadnetwork/report-attribution/")
        try write(log + "\n", to: "access.log")
        #expect(try importing("access.log").status == 0)
        #expect(
            try skan(["export", "--store", "skan.sqlite", "--test"]).output.contains("\"recipient\":\"developer\""))
    }

    // MARK: Again, and from where it was

    @Test("An import that is repeated changes nothing, whatever it found")
    func again() throws {
        let forged = try #require(bodies.first { $0.contains("\"app-id\":") })
            .replacingOccurrences(of: "\"app-id\":", with: "\"app-id\":1")
        let all = bodies + [bodies[1], forged, "{\"version\":"]
        let lines = try all.enumerated().map { try line($1, $0, "strings") }
        try write(lines.joined(separator: "\n") + "\n", to: "file")
        let first = try importing("file")
        #expect(first.status == 1, "\(first)")
        #expect(first.output.contains("recorded 40, duplicate 1, conflict 0, quarantined 1 "), "\(first)")
        #expect(first.errors.contains("skan: warning: file, line 43: the body: "))
        let before = try deliveries()
        let second = try importing("file")
        // What cannot be used is named each time, and nothing else is done.
        #expect(second.status == 1 && second.errors.contains("skan: warning: file, line 43: the body: "), "\(second)")
        #expect(second.output.hasSuffix("without a body 0, unreadable 1, read before 42\n"), "\(second)")
        #expect(try deliveries() == before)
    }

    @Test("Of a file that has grown the rest is read, also of its last line")
    func grown() throws {
        let text = try bodies.enumerated().map { try line($1, $0, "nginx") }.joined(separator: "\n") + "\n"
        let part = String(text.prefix(text.count / 2))
        try write(part, to: "access.log")
        let first = try importing("access.log")
        try write(text, to: "access.log")
        let second = try importing("access.log")
        #expect(second.status == 0, "\(first) \(second)")
        #expect(try recorded().count == 40)
        #expect(second.output.contains(", read before "))

    }

    @Test("A last line that is cut off is not used until it ends", arguments: ["csv", "fields", "apache"])
    func unfinished(_ form: String) throws {
        // What is cut off of the last cell leaves a value, and so does the end of a line alone.
        let text = try endingInBody(form)
        for cut in [text.hasSuffix("\r\n") ? 3 : 2, 1] {
            try write(String(decoding: text.utf8.dropLast(cut), as: UTF8.self), to: "file")
            for known in [0, 39] {
                let part = try importing("file", store: "\(cut).sqlite")
                #expect(part.status == 1 && part.output.contains(", unreadable 1"), "\(part)")
                #expect(part.output.contains(": recorded \(39 - known), "), "\(part)")
                #expect(part.output.contains(", read before 39\n") == (known > 0), "\(part)")
                #expect(part.errors.contains(": the last line does not end, and may be cut off; "), "\(part)")
            }
            try write(text, to: "file")
            let whole = try importing("file", store: "\(cut).sqlite")
            #expect(whole.status == 0 && whole.errors.isEmpty, "\(whole)")
            #expect(whole.output.contains(": recorded 1, ") && whole.output.contains(", read before 39\n"), "\(whole)")
        }
    }

    /// The bodies in a form, with the part that matters at the end of each line.
    private func endingInBody(_ form: String) throws -> String {
        switch form {
        case "fields": try fields()
        case "csv":
            "body,received\n"
                + bodies.enumerated().map { index, body in
                    let quoted = "\"" + body.replacingOccurrences(of: "\"", with: "\"\"") + "\""
                    return "\(quoted),\(Self.seconds(index))000\n"
                }.joined()
        default:
            try bodies.enumerated().map { index, body in
                let time = Date(timeIntervalSince1970: Double(Self.seconds(index))).formatted(.iso8601)
                let escaped = body.replacingOccurrences(of: "\\", with: "\\\\")
                    .replacingOccurrences(of: "\"", with: "\\\"")
                return "192.0.2.1 - - [\(try Self.logTime(Self.seconds(index)))] \"\(escaped)\" \(time) -\n"
            }.joined()
        }
    }

    @Test("An import that is killed goes on, and gives the store of one that is not")
    func killed() throws {
        _ = try skan(["simulate", "--count", "10000", "--seed", "7", "--output", "many", "--keys", "keys"])
        let all = try String(contentsOfFile: folder.path("many/postbacks.ndjson"), encoding: .utf8)
            .split(separator: "\n").enumerated().map { index, body in
                JSONText.object([("body", .string(String(body))), ("time", .integer(Self.start + Int64(index)))]).line
            }
        try write(all.joined(separator: "\n") + "\n", to: "many.ndjson")
        _ = try importing("many.ndjson", store: "whole.sqlite")
        for hundredths in 1...12 {
            // In the foreground, because it would otherwise kill itself too, and leave a store that still has its owner.
            _ = try run(
                URL(fileURLWithPath: "/usr/bin/timeout"),
                [
                    "--foreground", "-s", "KILL", "0.\(hundredths < 10 ? "0" : "")\(hundredths * 2)",
                    SkanProcess.binary.path, "import",
                ]
                    + ["--store", "killed.sqlite", "many.ndjson"] + Self.keys)
        }
        let last = try importing("many.ndjson", store: "killed.sqlite")
        #expect(last.status == 1 && last.errors.contains("requeue counts"), "\(last)")
        #expect(try recorded("killed.sqlite") == recorded("whole.sqlite"))
        #expect(try deliveries("killed.sqlite") == deliveries("whole.sqlite"))
    }

    // MARK: Ids without bodies

    @Test("A known id never counts, and the other windows of its install do", arguments: ["csv", "ndjson"])
    func knownIDs(_ form: String) throws {
        let ids = try bodies.prefix(10).map { body -> (String, String, String) in
            let object = try JSONObject(reading: Array(body.utf8))
            func text(_ names: String...) -> String {
                names.lazy.compactMap { object[$0] }.map { value in
                    switch value {
                    case .string(let text): text
                    case .integer(let number): String(number)
                    default: ""
                    }
                }.first ?? ""
            }
            return (text("ad-network-id"), text("transaction-id").uppercased(), text("postback-sequence-index"))
        }.filter { !$0.0.isEmpty }
        let lines =
            form == "csv"
            ? ["Ad-Network-ID,transaction_id,postback-sequence-index"] + ids.map { "\($0.0),\($0.1),\($0.2)" }
            : ids.map { id in
                JSONText.object(
                    [("ad-network-id", .string(id.0)), ("transaction-id", .string(id.1))]
                        + (id.2.isEmpty ? [] : [("postback-sequence-index", .string(id.2))])
                ).line
            }
        try write(lines.joined(separator: "\n") + "\n", to: "ids")
        let claimed = try importing("--known-ids", "ids")
        #expect(claimed.output == "ids: \(ids.count) ids known, \(ids.count) of them new\n", "\(claimed)")
        #expect(try importing("--known-ids", "ids").output.hasSuffix(" 0 of them new\n"))
        let outcome = try importing("--received", "2026-11-01", "sim/postbacks.ndjson")
        #expect(outcome.output.contains("recorded \(40 - ids.count), duplicate \(ids.count),"), "\(outcome)")
    }

    @Test("A last line of ids that may be cut off is named and not claimed; of NDJSON a whole object is")
    func unfinishedIDs() throws {
        try write("ad-network-id,transaction-id\nn.skadnetwork,first\nn.skadnetwork,seco", to: "ids")
        let outcome = try importing("--known-ids", "ids")
        #expect(outcome.status == 1 && outcome.output == "ids: 1 ids known, 1 of them new\n", "\(outcome)")
        #expect(outcome.errors.contains("ids, line 3: the last line does not end, and may be cut off"), "\(outcome)")
        try write("ad-network-id,transaction-id\nn.skadnetwork,first\nn.skadnetwork,second\n", to: "ids")
        let whole = try importing("--known-ids", "ids")
        #expect(whole.status == 0 && whole.output == "ids: 2 ids known, 1 of them new\n", "\(whole)")
        let object = #"{"ad-network-id": "n.skadnetwork", "transaction-id": "third"}"#
        try write("\(object)\n\(object.replacing("third", with: "fourth"))", to: "ids.ndjson")
        let objects = try importing("--known-ids", "ids.ndjson")
        #expect(objects.status == 0 && objects.output == "ids.ndjson: 2 ids known, 2 of them new\n", "\(objects)")
    }

    // MARK: Refusals

    @Test(
        "What cannot be imported is an error that says what is expected",
        arguments: [
            ("\u{1F}\u{8B}", ["file"], "cannot tell what file is"),
            ("PK\u{3}\u{4}", ["file"], "file is a ZIP archive"),
            ("hello\n", ["file"], "cannot tell what file is: it begins with hello"),
            ("a,body\n1,{}\n", ["file"], "file: no time of receipt: expected one of received-at"),
            ("time,b\n1,{}\n", ["file"], "file: no body: expected one of body, postback"),
            ("{\"body\":{}}\n{}\n", ["file"], "file, line 1: no time of receipt"),
            ("", ["none"], "cannot read none: no such file"), ("", ["."], "cannot read .: it is a folder"),
            ("", [], "expected FILE, --known-ids FILE, --impressions FILE or --spend FILE"),
            ("{}\n{}\n", ["file", "--received", "2040-01-01"], "--received: found 2040-01-01"),
            ("{}\n{}\n", ["file", "--input", "xml"], "--input: found xml, expected one of ndjson, json, csv, log"),
            ("a,b\n1,2\n", ["--known-ids", "file", "--input", "csv"], "cannot tell what file is"),
            (
                "192.0.2.1 - - [01/Nov/2026:12:30:00 +0000] \"POST / HTTP/1.1\" 200 57 \"-\" \"x\"\n", ["file"],
                "no line of file has a body"
            ),
        ])
    func refusals(_ text: String, _ arguments: [String], _ message: String) throws {
        try write(text, to: "file")
        let outcome = try skan(["import", "--store", "skan.sqlite"] + arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.contains(message), "\(outcome)")
    }

    @Test("Lines that cannot be used are named, and the others are used")
    func unreadable() throws {
        let good = try bodies.prefix(3).enumerated().map { try line($1, $0, "strings") }
        let future = try line(bodies[3], 0, "strings").replacingOccurrences(of: "\(Self.start)", with: "4102444800")
        let lines = [good[0], "", "{\"body\":", future, "{\"time\":\(Self.start)}", good[1], "{}", good[2]]
        try write(lines.joined(separator: "\n"), to: "file")
        let outcome = try importing("file")
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.output.contains("recorded 3,") && outcome.output.contains("unreadable 4\n"), "\(outcome)")
        let numbers = outcome.errors.split(separator: "\n").map { $0.split(separator: ":")[2] }
        #expect(numbers == [" file, line 3", " file, line 4", " file, line 5", " file, line 7"], "\(outcome.errors)")
    }

    @Test("An array without its end is named, and of the whole one the rest is read", arguments: [0, 30])
    func cutArray(_ missing: Int) throws {
        let lines = try bodies.prefix(3).enumerated().map { try line($1, $0, "array") }
        let whole = "[" + lines.joined(separator: ",\n") + "]\n"
        try write(String(whole.dropLast(2 + missing)), to: "file")
        for _ in 0..<2 {
            let cut = try importing("file")
            #expect(cut.status == 1, "\(cut)")
            #expect(cut.errors.contains(": the array does not end: the file may have been cut off"), "\(cut)")
        }
        try write(whole, to: "file")
        let outcome = try importing("file")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(try recorded().count == 3)
    }

    @Test("A store that a server has is refused, with the cure")
    func owned() throws {
        let server = try SkanServer(in: folder)
        let outcome = try importing("--received", "2026-11-01", "sim/postbacks.ndjson")
        #expect(outcome.status == 2 && outcome.errors.contains("importing needs it alone"))
        #expect(outcome.errors.contains("skan: hint: stop the server, import, and start it again"))
        #expect(server.end(SIGTERM).status == 0)
    }
}
