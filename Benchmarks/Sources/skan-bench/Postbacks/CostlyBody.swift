/// A body within the limits that is made to cost as much as it can: a shape of JSON each, filled up to 16 KiB.
struct CostlyBody {
    let name: String
    let bytes: [UInt8]

    private static let limit = 16_384

    static let all: [CostlyBody] = [
        CostlyBody(
            name: "128 names of combining marks",
            bytes: object((0..<128).map { "\"a\(marks(28))\($0)\":0" })),
        CostlyBody(
            name: "128 long names with equal ends",
            bytes: object((0..<128).map { "\"a\(String(repeating: "b", count: 100))\(1_000 + $0)z\":0" })),
        CostlyBody(name: "numbers in an array", bytes: filled("{\"version\":\"3.0\",\"a\":[0", with: ",1", end: "]}")),
        CostlyBody(
            name: "escaped strings in an array",
            bytes: filled("{\"version\":\"3.0\",\"a\":[0", with: ",\"\\n\"", end: "]}")),
        CostlyBody(
            name: "one string of escapes", bytes: filled("{\"version\":\"3.0\",\"a\":\"", with: "\\u00e9", end: "\"}")),
        CostlyBody(name: "white space", bytes: filled("{\"version\":\"3.0\"", with: " ", end: "}")),
        CostlyBody(
            name: "every signed field of accents",
            bytes: object(
                ["ad-network-id", "transaction-id", "source-identifier", "source-domain", "attribution-signature"].map {
                    "\"\($0)\":\"\(String(repeating: "é", count: 1_500))\""
                } + ["\"version\":\"4.0\""])),
        CostlyBody(
            name: "a signature of 12 KB",
            bytes: object([
                #""version":"3.0","ad-network-id":"a.skadnetwork","campaign-id":1,"app-id":1,"transaction-id":"a""#,
                #""redownload":true,"fidelity-type":1,"did-win":true"#,
                "\"attribution-signature\":\"\(String(repeating: "MEUC", count: 3_000))\"",
            ])),
    ]

    private static func marks(_ count: Int) -> String {
        String(repeating: "\u{0344}\u{0323}", count: count)
    }

    private static func object(_ fields: [String]) -> [UInt8] {
        let bytes = Array("{\(fields.joined(separator: ","))}".utf8)
        precondition(bytes.count <= limit, "A body of \(bytes.count) bytes is refused unread.")
        return bytes
    }

    private static func filled(_ start: String, with filling: String, end: String) -> [UInt8] {
        let room = limit - start.utf8.count - end.utf8.count
        return Array((start + String(repeating: filling, count: room / filling.utf8.count) + end).utf8)
    }
}
