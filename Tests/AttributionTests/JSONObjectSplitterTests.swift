import Attribution
import Testing

@Suite("Cutting a file into postbacks")
struct JSONObjectSplitterTests {
    @Test(
        "One object, several, or one a line",
        arguments: [
            ("", []),
            ("{\"a\":1}\n", ["{\"a\":1}"]),
            ("{\n  \"a\": 1\n}\n", ["{\n  \"a\": 1\n}"]),
            ("{\n\"a\": \"}\"\n}\n{\n\"b\": 2\n}", ["{\n\"a\": \"}\"\n}", "{\n\"b\": 2\n}"]),
            ("{\"a\":1}\r\n\r\n{\"b\":2}\r\n", ["{\"a\":1}", "{\"b\":2}"]),
            ("{\"a\":1}\n{\"b\":\nnonsense\n{\"c\":3}", ["{\"a\":1}", "{\"b\":", "nonsense", "{\"c\":3}"]),
            ("{\"a\":\n{\"b\":2}\n{\"c\":3}", ["{\"a\":", "{\"b\":2}", "{\"c\":3}"]),
            ("{\"a\":1}{\"b\":2}", ["{\"a\":1}", "{\"b\":2}"]),
            ("{\n\"a\": 1\n", ["{\n\"a\": 1"]),
            ("no json", ["no json"]),
        ] as [(String, [String])])
    func split(_ text: String, _ expected: [String]) {
        #expect(JSONObjectSplitter().split(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } == expected)
    }
}
