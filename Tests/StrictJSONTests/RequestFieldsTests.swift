import StrictJSON
import Testing

@Suite("Reading the members of a request")
struct RequestFieldsTests {
    private static let body = #"""
         {"a\u0062": {"text": "\"\u00e9", "list": ["x\\", "y", 3.0, 4], "none": null},
          "items": [{"id": "1", "n": "007"}, {"id": 2, "n": [], "sub": {"deep": true}}], "numbers": [1, "2"]}
        """#

    private static func fields() throws -> RequestFields {
        try RequestFields(reading: Array(body.utf8), limit: 1024)
    }

    @Test("Nested values are those of the text, with and without escapes")
    func nested() throws {
        let fields = try Self.fields()
        let object = try #require(try fields.object("ab"))
        #expect(try object.string("text") == "\"é")
        #expect(object.has("none"))
        #expect(try object.string("none") == nil)
        #expect(try object.versions("list") == ["x\\", "y", "3.0", "4.0"])
        #expect(try fields.integers("numbers") == [1, 2])
        let items = try fields.objects("items")
        #expect(try items.map { try $0.identifier("id") } == ["1", "2"])
        #expect(try items[0].integer("n") == 7)
        #expect(items[1].isArray("n") && !items[0].isArray("n"))
        #expect(try items[1].object("sub")?.flag("deep") == true)
    }

    typealias Read = @Sendable (RequestFields) throws -> Void

    static let problems: [(String, Read, String)] = [
        ("a string", { _ = try $0.object("ab")?.string("list") }, "ab.list: found an array, expected a string"),
        (
            "strings", { _ = try $0.object("ab")?.strings("list") },
            "ab.list: found the number 3.0, expected strings only"
        ),
        (
            "an object", { _ = try $0.object("ab")?.object("text") },
            "ab.text: found the string \"\"é\", expected an object"
        ),
        (
            "an integer", { _ = try $0.objects("items").last?.integer("n") },
            "items[1].n: found an array, expected a whole number or a string of digits"
        ),
        ("objects", { _ = try $0.objects("numbers") }, "numbers[0]: found the number 1, expected an object"),
        ("an array", { _ = try $0.integers("ab") }, "ab: found an object, expected an array"),
    ]

    @Test("A problem has the whole path and what was found", arguments: problems)
    func problem(_ name: String, _ read: Read, _ text: String) throws {
        let fields = try Self.fields()
        let problem = try #require(#expect(throws: FieldProblem.self) { try read(fields) })
        #expect(problem.description == text, "\(name)")
    }
}
