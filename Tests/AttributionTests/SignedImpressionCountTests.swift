import Attribution
import StrictJSON
import Testing

@Suite("Lines of signed ads")
struct SignedImpressionCountTests {
    static let writer = "68483ef6-0678-40df-859b-1b8f3f2d7b21"
    static let line = """
        {"version":1,"writer":"\(writer)","sequence":7,"from":"2026-11-21T10:05:00Z","to":"2026-11-21T10:06:00Z",\
        "network":"example123.skadnetwork","app":525463029,"campaign-id":12,"source-identifier":39,"signed":31}
        """

    @Test("A line is written as it was read")
    func roundTrip() throws {
        let count = try SignedImpressionCount(reading: Array(Self.line.utf8))
        #expect(count.line == Self.line)
        #expect(count.day.description == "2026-11-21")
        #expect(count.campaign.sourceIdentifier?.value == 39)
        #expect(try SignedImpressionCount(reading: Array(count.line.utf8)) == count)
    }

    @Test("The last minute of a day belongs to it")
    func midnight() throws {
        let line = Self.line.replacing("T10:05:00Z", with: "T23:59:00Z")
            .replacing("2026-11-21T10:06:00Z", with: "2026-11-22T00:00:00Z")
        #expect(try SignedImpressionCount(reading: Array(line.utf8)).day.description == "2026-11-21")
    }

    @Test("The network is counted as registered, however it is spelt")
    func spelling() throws {
        let line = Self.line.replacing("example123", with: "Example123")
        #expect(
            try SignedImpressionCount(reading: Array(line.utf8)).campaign.network == "example123.skadnetwork")
    }

    @Test(
        "A line that cannot be counted is refused, naming the member",
        arguments: [
            ("\"version\":1", "\"version\":2", "version"),
            ("\"version\":1,", "", "version"),
            (writer, "1", "writer"),
            ("\"sequence\":7", "\"sequence\":0", "sequence"),
            ("\"signed\":31", "\"signed\":0", "signed"),
            ("\"signed\":31", "\"signed\":10000000001", "signed"),
            (",\"signed\":31", "", "signed"),
            ("\"signed\":31", "\"signed\":31,\"sighned\":1", "sighned"),
            ("T10:06:00Z", "T10:05:00Z", "to"),
            ("2026-11-21T10:06:00Z", "2026-11-22T00:00:01Z", "to"),
            ("\"from\":\"2026-11-21T10:05:00Z\"", "\"from\":\"today\"", "from"),
            ("\"app\":525463029", "\"app\":0", "app"),
            ("\"campaign-id\":12", "\"campaign-id\":101", "campaign-id"),
            ("\"source-identifier\":39", "\"source-identifier\":10000", "source-identifier"),
            ("\"campaign-id\":12,\"source-identifier\":39,", "", "campaign-id"),
            ("example123.skadnetwork", "", "network"),
        ])
    func refused(_ part: String, _ replacement: String, _ field: String) {
        let problem = #expect(throws: FieldProblem.self) {
            try SignedImpressionCount(reading: Array(Self.line.replacing(part, with: replacement).utf8))
        }
        #expect(problem?.field == field)
    }
}
