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
        let bytes = Array(text.utf8)
        // The same records come out however the stream is cut into pieces.
        for size in [1, 2, 3, 7, max(1, bytes.count)] {
            var splitter = JSONObjectSplitter()
            var records: [[UInt8]] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                records += splitter.split(bytes[start..<min(start + size, bytes.count)])
            }
            records += splitter.finish()
            #expect(records.map { String(decoding: $0, as: UTF8.self) } == expected, "pieces of \(size)")
        }
    }

    @Test("A record that never ends is given up, so that memory stays bounded")
    func overlong() {
        var splitter = JSONObjectSplitter()
        let records = (0..<3).flatMap { _ in splitter.split(Array(repeating: UInt8(ascii: "{"), count: 1 << 20)) }
        #expect(records.count == 1)
    }
}
