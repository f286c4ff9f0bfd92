import Attribution
import CodedErrors
import StrictJSON

/// Reads one advertised app.
struct AppReader {
    /// The app.
    let app: Scenario.App

    init(_ fields: DocumentFields) throws(DocumentProblem) {
        try fields.allow(
            "name", "id", "redownloads", "launches", "countries", "marketplaces", "overlapping-re-engagements",
            "developer-copies")
        let countries = try fields.weights("countries") ?? [Weighted("US", 1)]
        if let wrong = countries.first(where: { CountryCode($0.choice) == nil }) {
            throw fields.problem(
                "countries", found: "\"\(wrong.choice.shortened(to: 60))\"", expected: "codes of two capitals",
                cure: "write ISO 3166 codes such as US or DE")
        }
        app = Scenario.App(
            name: try fields.text("name"), id: Int64(try fields.integer("id", in: 1...Int.max)),
            redownloads: try fields.number("redownloads", in: 0...1, else: 0.2),
            launches: try fields.number("launches", in: 0...1, else: 0.97), countries: countries,
            marketplaces: try fields.weights("marketplaces") ?? [Weighted("com.apple.AppStore", 1)],
            overlapsReengagements: try fields.flag("overlapping-re-engagements", else: false),
            copies: try Self.copies(fields))
    }

    private static func copies(_ app: DocumentFields) throws(DocumentProblem) -> DeveloperCopies {
        guard app.has("developer-copies") else {
            return DeveloperCopies()
        }
        let fields = try app.child("developer-copies")
        try fields.allow("SKAdNetwork", "AdAttributionKit", "re-engagements")
        return DeveloperCopies(
            skAdNetwork: try endpoint(fields, "SKAdNetwork"),
            adAttributionKit: try endpoint(fields, "AdAttributionKit"),
            includesReengagements: try fields.flag("re-engagements", else: false))
    }

    private static func endpoint(
        _ fields: DocumentFields,
        _ name: String
    ) throws(DocumentProblem) -> DeveloperCopies.Endpoint? {
        guard let text = try fields.optionalText(name) else {
            return nil
        }
        guard let endpoint = DeveloperCopies.Endpoint(rawValue: text) else {
            throw fields.problem(
                name, found: "\"\(text.shortened(to: 60))\"", expected: "ours or elsewhere",
                cure: "write ours where the developer's endpoint is our server, and elsewhere where it is not")
        }
        return endpoint
    }
}
