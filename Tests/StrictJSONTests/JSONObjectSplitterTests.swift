import StrictJSON
import Testing

@Suite("Splitting a file into postbacks")
struct JSONObjectSplitterTests {
    @Test(
        "One object, several, or one per line",
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
            (" \n\n \n{\"a\":1}\n \n\n{\"b\":2}", ["{\"a\":1}", "{\"b\":2}"]),
            ("{\n}\nno json\nat all\n{\n}", ["{\n}", "no json\nat all", "{\n}"]),
            ("[{\"a\":1},\n{\"b\":2}]", ["[{\"a\":1},", "{\"b\":2}]"]),
            (" \n", []),
        ] as [(String, [String])])
    func split(_ text: String, _ expected: [String]) {
        expect(text, expected, entersArrays: false)
    }

    @Test(
        "With entersArrays, the elements of an array are records",
        arguments: [
            ("[]", []),
            (" [ {\"a\":[1,\"]\"]} ,\n{\"b\":{}}\n]\n", ["{\"a\":[1,\"]\"]}", "{\"b\":{}}"]),
            ("[\"a.b\\\"]\",5,[[1],\"]\"],null ,true]", ["\"a.b\\\"]\"", "5", "[[1],\"]\"]", "null", "true"]),
            ("[{\"a\":1}]\n[{\"b\":2}]", ["{\"a\":1}", "{\"b\":2}"]),
            ("[{\"a\":1}", ["{\"a\":1}"]),
            ("{\"a\":1}\n{\"b\":2}", ["{\"a\":1}", "{\"b\":2}"]),
        ] as [(String, [String])])
    func elements(_ text: String, _ expected: [String]) {
        expect(text, expected, entersArrays: true)
    }

    private func expect(_ text: String, _ expected: [String], entersArrays: Bool) {
        let bytes = Array(text.utf8)
        // The records do not depend on how the stream is cut into chunks.
        for size in [1, 2, 3, 7, max(1, bytes.count)] {
            var splitter = JSONObjectSplitter(entersArrays: entersArrays)
            var records: [JSONObjectSplitter.Record] = []
            func takeAll() {
                while let record = splitter.next() {
                    records.append(record)
                }
            }
            for start in stride(from: 0, to: bytes.count, by: size) {
                splitter.append(bytes[start..<min(start + size, bytes.count)])
                takeAll()
            }
            splitter.finish()
            takeAll()
            #expect(records.map { String(decoding: $0.bytes, as: UTF8.self) } == expected, "chunks of \(size)")
            #expect(records.allSatisfy { $0.count == $0.bytes.count })
        }
    }

    @Test("Only the beginning of an endless record is kept", arguments: ["{", "x", "\"", "[", "{\"a\":\""])
    func overlong(_ beginning: String) {
        for entersArrays in [false, true] {
            var splitter = JSONObjectSplitter(entersArrays: entersArrays)
            splitter.append(beginning.utf8)
            var records: [JSONObjectSplitter.Record] = []
            for _ in 0..<48 {
                splitter.append(Array(repeating: UInt8(ascii: "a"), count: 1 << 17))
                while let record = splitter.next() {
                    records.append(record)
                }
            }
            #expect(records == [])
            splitter.finish()
            let record = splitter.next()
            let isElement = entersArrays && beginning == "["
            #expect(record?.count == (48 << 17) + (isElement ? 0 : beginning.utf8.count))
            #expect(record?.bytes.count == JSONObjectSplitter.longestRecord)
            #expect(splitter.next() == nil)
        }
    }
}
