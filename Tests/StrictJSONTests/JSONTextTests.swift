import StrictJSON
import Testing

@Suite("Writing JSON")
struct JSONTextTests {
    static let strings: [(String, String)] = [
        ("", #""""#), ("plain", #""plain""#), ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
        ("\u{0}\u{1F}\u{7F}", #""\u0000\u001f\u007f""#), ("é\u{2063}😀/", "\"é\u{2063}😀/\""), ("\"", #""\"""#),
        ("end\\", #""end\\""#),
    ]

    @Test("Quotation marks, backslashes and control characters are escaped, and nothing else is", arguments: strings)
    func escapes(_ text: String, _ json: String) {
        #expect(JSONText.string(text).line == json)
        #expect(JSONText.string(text).lineBytes == Array(json.utf8) + [UInt8(ascii: "\n")])
        #expect(JSONText.object([text: .null]).line == "{\(json):null}")
    }

    @Test(
        "Whole numbers have their digits and nothing else",
        arguments: [0, 1, -1, 9, 10, -10, 1_676_057_605_705, .max, .min])
    func integers(_ number: Int64) {
        #expect(JSONText.integer(number).line == String(number))
    }

    @Test("Names keep their order, on one line and over several")
    func layouts() {
        let text = JSONText.object([
            "b": .array([.integer(-1), .decimal(0.5, places: 2), .bool(true), .null]), "a": .object([:]),
            "c": .array([]),
        ])
        #expect(text.line == #"{"b":[-1,0.50,true,null],"a":{},"c":[]}"#)
        #expect(
            text.pretty == """
                {
                  "b": [
                    -1,
                    0.50,
                    true,
                    null
                  ],
                  "a": {},
                  "c": []
                }
                """)
    }

    @Test("Documents that follow each other on lines do not affect each other")
    func lines() {
        var json = JSONWriter()
        json.object { json in
            json.member("a", "1")
            json.name("b")
            json.array { json in
                json.object { _ in }
                json.object { $0.member("c", true) }
            }
            json.member("d", 2)
        }
        json.endLine()
        JSONText.array([.integer(3)]).write(to: &json)
        json.endLine()
        #expect(
            String(decoding: json.bytes, as: UTF8.self)
                == #"{"a":"1","b":[{},{"c":true}],"d":2}"# + "\n[3]\n")
    }
}

@Suite("The nearest known name")
struct NearestNameTests {
    static let names = ["report", "recount", "serve", "campaign", "campaign-id", "--store", "SKAN_LISTEN", "day"]

    @Test(
        "A misspelt name has a suggestion, and an unrelated one has none",
        arguments: [
            ("reprot", "report"), ("reports", "report"), ("REPORT", "report"), ("recout", "recount"),
            ("campagn", "campaign"), ("campaign-ids", "campaign-id"), ("--stor", "--store"), ("--stroe", "--store"),
            ("SKAN_LISTNE", "SKAN_LISTEN"), ("dya", "day"), ("da", "day"), ("serv", "serve"), ("rep", "report"),
            ("s", nil), ("", nil), ("re", nil), ("camp", nil), ("colour", nil), ("--listen", nil),
        ] as [(String, String?)])
    func nearest(_ typed: String, _ meant: String?) {
        #expect(Self.names.nearest(to: typed) == meant)
        #expect(Self.names.suggestion(for: typed) == (meant.map { "; did you mean \($0)?" } ?? ""))
    }
}
