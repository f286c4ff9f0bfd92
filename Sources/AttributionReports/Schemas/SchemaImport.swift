package import Attribution
import StrictJSON

/// Makes a schema file of a table, or of what others export.
package struct SchemaImport {
    /// What those files do not say.
    package struct Defaults: Sendable {
        /// The app of a file that names none.
        package var app: AppStoreItemID?
        /// The first day (UTC) on which the app sets values by the schema.
        package var from: CalendarDay
        package var through: CalendarDay?
        /// The currency of a file that names none.
        package var currency: CurrencyCode?

        package init(from: CalendarDay) {
            self.from = from
        }
    }

    /// A text of the file, with where it is; nil for one that is empty or not there.
    struct Item {
        let path: String
        let text: String?
    }

    /// A conversion value, with its window counted from 0.
    enum Value {
        case fine(Int)
        case coarse(CoarseConversionValue, window: Int)
    }

    /// What the values of an app mean.
    private struct Meanings {
        var currency: CurrencyCode?
        var fine: [Int: ConversionMeaning] = [:]
        var coarse = [[CoarseConversionValue: ConversionMeaning]](repeating: [:], count: 3)
    }

    var problems = DocumentProblems()
    private let defaults: Defaults
    private var apps: [AppStoreItemID: Meanings] = [:]

    private init(_ defaults: Defaults) {
        self.defaults = defaults
    }

    /// The text of a schema file with what another file says.
    ///
    /// - Throws: ``Attribution/InvalidDocuments`` with everything that is wrong with the file.
    package static func schemaFile(of path: String, _ defaults: Defaults) throws(InvalidDocuments) -> String {
        var reader = SchemaImport(defaults)
        if let bytes = reader.problems.attempt(try DocumentFile.bytes(path)) {
            reader.read(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
        }
        guard reader.problems.all.isEmpty else {
            var invalid = InvalidDocuments()
            invalid.note(reader.problems.all, in: path)
            throw invalid
        }
        let text = reader.json.pretty + "\n"
        // So that whatever is written can be read.
        _ = try ConversionSchemas(documents: [(name: path, bytes: Array(text.utf8))])
        return text
    }

    private mutating func read(_ bytes: [UInt8]) {
        switch bytes.first(where: { !" \t\r\n".utf8.contains($0) }) {
        case UInt8(ascii: "{"): readDocument(bytes)
        case UInt8(ascii: "["): readDocument(Array("{\"\(Self.stream)\":".utf8) + bytes + Array("}".utf8))
        default: readTable(bytes)
        }
    }

    /// The name under which an array is read, for only objects are documents.
    static let stream = "array"

    // MARK: What a value means

    /// Adds an event with its revenue to the meaning of a value.
    ///
    /// All events of a value happened, so their revenue is added.
    mutating func add(
        event: String?,
        revenue: ClosedRange<Money>?,
        currency: Item,
        to value: Value,
        of app: AppStoreItemID
    ) {
        var meanings = apps[app] ?? Meanings()
        if revenue != nil, let currency = self.currency(currency, known: meanings.currency) {
            meanings.currency = currency
        }
        let meaning = ConversionMeaning(events: event.map { [$0] } ?? [], revenue: revenue)
        switch value {
        case .fine(let value):
            meanings.fine[value] = meanings.fine[value].map { $0 + meaning } ?? meaning
        case .coarse(let value, let window):
            meanings.coarse[window][value] = meanings.coarse[window][value].map { $0 + meaning } ?? meaning
        }
        apps[app] = meanings
    }

    /// Whether something is known of an app.
    func has(_ app: AppStoreItemID) -> Bool {
        apps[app] != nil
    }

    /// The app of an item, such as `525463029` or `id525463029`, or the one for all.
    mutating func app(_ item: Item) -> AppStoreItemID? {
        guard let text = item.text else {
            if defaults.app == nil {
                note(item, expected: "the app's App Store id", cure: "write it, or add --app 525463029")
            }
            return defaults.app
        }
        guard let id = Int64(text.hasPrefix("id") ? String(text.dropFirst(2)) : text), id > 0 else {
            note(item, expected: "an App Store id, a number such as 525463029", cure: "correct it")
            return nil
        }
        return AppStoreItemID(id)
    }

    /// The bounds of revenue, from 0 where only the greatest is given; nil if there is none, or a problem.
    mutating func revenue(from low: Item, to high: Item) -> ClosedRange<Money>? {
        guard low.text != nil || high.text != nil else {
            return nil
        }
        let lower = low.text == nil ? Money.zero : money(low)
        let upper = money(high)
        guard let lower, let upper else {
            return nil
        }
        guard lower <= upper else {
            note(high, expected: "at least \(lower), the least revenue", cure: "exchange the two")
            return nil
        }
        return lower...upper
    }

    private mutating func money(_ item: Item) -> Money? {
        let amount = item.text.flatMap { Money($0) }
        if amount == nil {
            note(
                item, expected: "an amount such as 4.99, with at most five decimal places",
                cure: "write the amount; without a least and a greatest one, revenue cannot be added up")
        }
        return amount
    }

    private mutating func currency(_ item: Item, known: CurrencyCode?) -> CurrencyCode? {
        guard let currency = item.text.map({ CurrencyCode($0) }) ?? defaults.currency else {
            note(
                item, expected: "the currency of the revenue, a code of ISO 4217",
                cure: "write a code such as EUR, or add --currency EUR to a file without one")
            return nil
        }
        if let known, known != currency {
            note(item, expected: "\(known), as before: a schema has one currency", cure: "convert the amounts")
        }
        return currency
    }

    mutating func note(_ item: Item, expected: String, cure: String) {
        problems.note(
            DocumentProblem(
                item.path, found: item.text.map { "\"\($0.shortened(to: 60))\"" } ?? "nothing", expected: expected,
                cure: cure))
    }

    // MARK: The schema file

    private var json: JSONText {
        let schemas = apps.sorted { $0.key.value < $1.key.value }.map { app, meanings in
            let members: [(String, JSONText?)] = [
                ("app", .integer(app.value)), ("from", .string(defaults.from.description)),
                ("to", defaults.through.map { .string($0.description) }),
                ("currency", meanings.currency.map { .string($0.text) }), ("fine", Self.json(meanings.fine)),
                ("coarse", Self.json(meanings.coarse)),
            ]
            return JSONText.object(members.given)
        }
        return .object([("version", .integer(1)), ("schemas", .array(schemas))])
    }

    private static func json(_ fine: [Int: ConversionMeaning]) -> JSONText? {
        fine.isEmpty
            ? nil
            : .array(
                fine.sorted { $0.key < $1.key }.map { value, meaning in
                    .object([("value", .integer(Int64(value)))] + members(meaning))
                })
    }

    private static func json(_ coarse: [[CoarseConversionValue: ConversionMeaning]]) -> JSONText? {
        let windows = coarse.enumerated().filter { !$0.element.isEmpty }
        return windows.isEmpty
            ? nil
            : .object(
                windows.map { index, meanings in
                    let values = CoarseConversionValue.allCases.compactMap { value in
                        meanings[value].map { (value.rawValue, JSONText.object(members($0))) }
                    }
                    return (String(index + 1), JSONText.object(values))
                })
    }

    private static func members(_ meaning: ConversionMeaning) -> [(String, JSONText)] {
        let revenue = meaning.revenue.map { bounds in
            JSONText.object([
                ("low", .string(bounds.lowerBound.description)), ("high", .string(bounds.upperBound.description)),
            ])
        }
        let events = meaning.events.isEmpty ? nil : JSONText.array(meaning.events.map(JSONText.string))
        let members: [(String, JSONText?)] = [("events", events), ("revenue", revenue)]
        return members.given
    }
}

extension [(String, JSONText?)] {
    /// The members that have a value.
    fileprivate var given: [(String, JSONText)] {
        compactMap { name, value in value.map { (name, $0) } }
    }
}
