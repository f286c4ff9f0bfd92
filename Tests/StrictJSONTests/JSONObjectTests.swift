import StrictJSON
import Testing

@Suite("Strict reading of one JSON object")
struct JSONObjectTests {
    @Test(
        "Values keep their type and their text",
        arguments: [
            (#"{"a":"x"}"#, JSONValue.string("x")),
            (#"{"a":""}"#, .string("")),
            (#"{"a":"\u2063"}"#, .string("\u{2063}")),
            (#"{"a":"\ud83d\ude00"}"#, .string("😀")),
            (#"{"a":"a\/b\\\"\n"}"#, .string("a/b\\\"\n")),
            (#"{"a":"é"}"#, .string("é")),
            (#"{"a":0}"#, .integer(0)),
            (#"{"a":-1}"#, .integer(-1)),
            (#"{"a":9223372036854775807}"#, .integer(.max)),
            (#"{"a":-9223372036854775808}"#, .integer(.min)),
            (#"{"a":9223372036854775808}"#, .number("9223372036854775808")),
            (#"{"a":-0}"#, .number("-0")),
            (#"{"a":1.0}"#, .number("1.0")),
            (#"{"a":1e2}"#, .number("1e2")),
            (#"{"a":true}"#, .bool(true)),
            (#"{"a":false}"#, .bool(false)),
            (#"{"a":null}"#, .null),
            (#"{"a":[1,{"b":"]"}]}"#, .nested(#"[1,{"b":"]"}]"#)),
            ("\n\t {\r\n \"a\" : 1 } \n", .integer(1)),
        ])
    func values(_ text: String, _ expected: JSONValue) throws {
        let object = try JSONObject(reading: text.utf8)
        #expect(object.fields == [JSONField(name: "a", value: expected)])
    }

    @Test("Escapes and non-ASCII characters are decoded at any offset in a string", arguments: 0...17)
    func offsetsInStrings(_ count: Int) throws {
        let before = String(repeating: "~", count: count)
        let rows = [
            (#"\""#, "\""), (#"\\"#, "\\"), ("é", "é"), ("\u{7F}", "\u{7F}"), (" !#[]", " !#[]"),
            (#"\u0022é\/"#, "\"é/"),
        ]
        for (written, meant) in rows {
            let text = #"{"a":"\#(before)\#(written)xyz","b\#(before)\#(written)":"\#(before)"}"#
            let object = try JSONObject(reading: text.utf8)
            let expected = [
                JSONField(name: "a", value: .string(before + meant + "xyz")),
                JSONField(name: "b" + before + meant, value: .string(before)),
            ]
            #expect(object.fields == expected, "\(text)")
            #expect(object["b" + before + meant] == .string(before), "\(text)")
        }
    }

    @Test("Bytes that are not allowed in a string are refused at any offset", arguments: 0...17)
    func refusedInStrings(_ count: Int) {
        func body(_ byte: UInt8) -> [UInt8] {
            Array("{\"a\":\"".utf8) + Array(repeating: 0x7E, count: count) + [byte] + Array("xyz1234567\"}".utf8)
        }
        for byte in [0x00, 0x09, 0x1F] as [UInt8] {
            #expect(throws: JSONError.syntax(offset: 6 + count, expected: "no control character inside a string")) {
                try JSONObject(reading: body(byte))
            }
        }
        for byte in [0x80, 0xA2, 0xFF] as [UInt8] {
            #expect(throws: JSONError.notUTF8(offset: 6 + count)) { try JSONObject(reading: body(byte)) }
        }
    }

    @Test("Absent, null, 0 and the empty string are all different")
    func fourThings() throws {
        let object = try JSONObject(reading: #"{"n":null,"z":0,"e":""}"#.utf8)
        #expect(object["a"] == nil)
        #expect(object["n"] == .null)
        #expect(object["z"] == .integer(0))
        #expect(object["e"] == .string(""))
    }

    @Test("Names are compared after decoding and kept in the order received")
    func order() throws {
        #expect(try JSONObject(reading: #"{"b":1,"\u0061":2}"#.utf8).fields.map(\.name) == ["b", "a"])
        #expect(throws: JSONError.duplicateName("a")) { try JSONObject(reading: #"{"a":1,"\u0061":2}"#.utf8) }
        #expect(throws: JSONError.duplicateName("é")) { try JSONObject(reading: #"{"é":1,"b":2,"\u00e9":2}"#.utf8) }
        // Composed and decomposed forms have different bytes, so they are different names.
        let two = try JSONObject(reading: #"{"\u00e9":1,"b":2,"e\u0301":3}"#.utf8)
        #expect(two["\u{E9}"] == .integer(1) && two["e\u{301}"] == .integer(3))
        #expect(throws: JSONError.duplicateName("")) { try JSONObject(reading: #"{"":1,"b":2,"":3}"#.utf8) }
        // Same length, same first and last byte, but different names.
        #expect(try JSONObject(reading: #"{"abd":1,"acd":2}"#.utf8).fields.map(\.name) == ["abd", "acd"])
    }

    @Test(
        "Anything but one JSON object is refused, with the offset",
        arguments: [
            ("", JSONError.empty),
            (" \n", .empty),
            ("[1]", .notAnObject(offset: 0)),
            ("\"a\"", .notAnObject(offset: 0)),
            ("\u{FEFF}{}", .notAnObject(offset: 0)),
            ("{\"a\":1", .syntax(offset: 6, expected: "',' or '}'")),
            ("{\"a\":1,}", .syntax(offset: 7, expected: "a name in double quotes")),
            ("{a:1}", .syntax(offset: 1, expected: "a name in double quotes")),
            ("{\"a\" 1}", .syntax(offset: 5, expected: "':'")),
            ("{\"a\":}", .syntax(offset: 5, expected: "a value")),
            ("{\"a\":01}", .syntax(offset: 5, expected: "no leading zero in a number")),
            ("{\"a\":-}", .syntax(offset: 6, expected: "a digit")),
            ("{\"a\":1.}", .syntax(offset: 7, expected: "a digit")),
            ("{\"a\":+1}", .syntax(offset: 5, expected: "a value")),
            ("{\"a\":NaN}", .syntax(offset: 5, expected: "a value")),
            ("{\"a\":tru}", .syntax(offset: 8, expected: "'true'")),
            ("{\"a\":\"x}", .syntax(offset: 8, expected: "'\"' at the end of the string")),
            ("{\"a\":\"\n\"}", .syntax(offset: 6, expected: "no control character inside a string")),
            ("{\"a\":\"\\x\"}", .syntax(offset: 7, expected: "one of \" \\ / b f n r t u after '\\'")),
            ("{\"a\":\"\\ud83d\"}", .syntax(offset: 8, expected: "a pair of surrogates, not half of one")),
            ("{\"a\":\"\\ude00\"}", .syntax(offset: 8, expected: "a pair of surrogates, not half of one")),
            ("{\"a\":\"\\ud800\\u0041\"}", .syntax(offset: 8, expected: "a pair of surrogates, not half of one")),
            ("{\"a\":\"\\udbff\\udbff\"}", .syntax(offset: 8, expected: "a pair of surrogates, not half of one")),
            ("{\"\\ud83d\\u0000\":1}", .syntax(offset: 4, expected: "a pair of surrogates, not half of one")),
            ("{\"a\":[\"\\ud83d\\uFFFF\"]}", .syntax(offset: 9, expected: "a pair of surrogates, not half of one")),
            ("{\"a\":[1,]}", .syntax(offset: 8, expected: "a value")),
            ("{\"a\":1} x", .trailingBytes(offset: 8)),
            ("{}{}", .trailingBytes(offset: 2)),
        ])
    func refused(_ text: String, _ expected: JSONError) {
        #expect(throws: expected) { try JSONObject(reading: text.utf8) }
    }

    @Test(
        "As the problem of a field, an error says once what was expected",
        arguments: [
            (JSONError.empty, "found an empty text, expected one JSON object"),
            (.notAnObject(offset: 3), "found something else at byte 3, expected a JSON object, which begins with '{'"),
            (.syntax(offset: 5, expected: "':'"), "found invalid JSON at byte 5, expected ':'"),
            (.notUTF8(offset: 6), "found bytes that are not UTF-8 at byte 6, expected JSON in UTF-8"),
            (.duplicateName("a\n"), #"found "a\u{a}" twice, expected each name once"#),
            (.tooDeep(offset: 9, limit: 8), "found more than 8 levels at byte 9, expected at most 8 levels"),
            (.tooLong(count: 9, limit: 8), "found 9 bytes, expected at most 8 bytes"),
            (.tooManyFields(limit: 8), "found more than 8 names in one object, expected at most 8"),
            (.trailingBytes(offset: 2), "found more after the object at byte 2, expected one JSON object"),
        ])
    func problems(_ error: JSONError, _ text: String) {
        let problem = FieldProblem(field: "a", found: error.found, expected: error.expected)
        #expect(problem.description == "a: \(text)")
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x81], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
    func notUTF8(_ bytes: [UInt8]) {
        #expect(throws: JSONError.notUTF8(offset: 6)) {
            try JSONObject(reading: Array("{\"a\":\"".utf8) + bytes + Array("\"}".utf8))
        }
    }

    @Test("The offset of invalid UTF-8 is right after escapes and other text", arguments: 0...17)
    func offsetOfNotUTF8(_ count: Int) {
        let before = Array(#"{"\u00e9é":[" \n é "#.utf8) + Array(repeating: 0x7E, count: count)
        #expect(throws: JSONError.notUTF8(offset: before.count)) {
            try JSONObject(reading: before + [0xE9] + Array(#"xyz"]}"#.utf8))
        }
    }

    @Test("A duplicate is found among many similar names", arguments: [2, 3, 17, 64, 65, 127])
    func duplicateAmongMany(_ count: Int) throws {
        for prefix in ["", "é", "\\u0344", "n\u{0323}"] {
            let names = (0..<count).map { "\"\(prefix)\(100 + $0)x\"" }
            let text = names.map { "\($0):1" }.joined(separator: ",")
            #expect(try JSONObject(reading: "{\(text)}".utf8).fields.count == count)
            for twice in [names[0], names[count / 2], names[count - 1]] {
                #expect(throws: JSONError.self, "\(twice)") { try JSONObject(reading: "{\(text),\(twice):2}".utf8) }
            }
        }
    }

    @Test(
        "Every escape is decoded",
        arguments: [
            (#"\u0000"#, "\u{0}"), (#"\u007f"#, "\u{7F}"), (#"\u0080"#, "\u{80}"), (#"\u07FF"#, "\u{7FF}"),
            (#"\u0800"#, "\u{800}"), (#"\ud7ff"#, "\u{D7FF}"), (#"\uE000"#, "\u{E000}"), (#"\uffff"#, "\u{FFFF}"),
            (#"\ud800\udc00"#, "\u{10000}"), (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"\b\f\n\r\t"#, "\u{8}\u{C}\n\r\t"),
        ])
    func escapes(_ written: String, _ meant: String) throws {
        let object = try JSONObject(reading: #"{"é\#(written)x":["\#(written)"],"a":"\#(written)é"}"#.utf8)
        #expect(object.fields.map(\.name) == ["é\(meant)x", "a"])
        #expect(object["a"] == .string(meant + "é"))
    }

    @Test("Length, depth and number of names are limited")
    func bounds() throws {
        let deep = String(repeating: "[", count: 7) + String(repeating: "]", count: 7)
        #expect(throws: Never.self) { try JSONObject(reading: "{\"a\":\(deep)}".utf8) }
        #expect(throws: JSONError.tooDeep(offset: 12, limit: 8)) { try JSONObject(reading: "{\"a\":[\(deep)]}".utf8) }
        #expect(throws: JSONError.tooLong(count: 16_385, limit: 16_384)) {
            try JSONObject(reading: Array(repeating: 0x20, count: 16_385))
        }
        let many = (0..<129).map { "\"n\($0)\":0" }.joined(separator: ",")
        #expect(throws: JSONError.tooManyFields(limit: 128)) { try JSONObject(reading: "{\(many)}".utf8) }
    }

    @Test("Every truncation of a postback is refused")
    func truncations() throws {
        let body = Array(#"{"version":"4.0","app-id":10738027756,"did-win":true,"x":[{"y":null}],"z":"\u00e9"}"#.utf8)
        for count in 0..<body.count {
            #expect(throws: JSONError.self, "the first \(count) bytes") { try JSONObject(reading: body.prefix(count)) }
        }
        #expect(throws: Never.self) { try JSONObject(reading: body) }
    }
}
