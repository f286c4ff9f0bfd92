import StrictJSON
import Testing

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
