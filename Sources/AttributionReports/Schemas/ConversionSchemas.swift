package import Attribution

/// The schemas of all apps, each from one day to another.
package struct ConversionSchemas: DocumentSet {
    /// The schemas of each app, in order of time and without overlap.
    private let schemas: [AppStoreItemID: [ConversionSchema]]

    /// Makes an empty set, by which no value means anything.
    package init() {
        schemas = [:]
    }

    package init(
        documents: [(name: String, bytes: [UInt8])],
        besides known: InvalidDocuments = InvalidDocuments()
    ) throws(InvalidDocuments) {
        var invalid = known
        var found: [AppStoreItemID: [Located]] = [:]
        for (name, bytes) in documents {
            let reader = ConversionSchemaReader(bytes)
            invalid.note(reader.problems.all, in: name)
            for (schema, path) in reader.schemas {
                found[schema.app, default: []].append(Located(schema: schema, document: name, path: path))
            }
        }
        var schemas: [AppStoreItemID: [ConversionSchema]] = [:]
        for (app, located) in found.sorted(by: { $0.key.value < $1.key.value }) {
            schemas[app] = Self.sequence(located, &invalid)
        }
        guard invalid.problems.isEmpty else {
            throw invalid
        }
        self.schemas = schemas
    }

    private struct Located {
        var schema: ConversionSchema
        let document: String
        let path: String
    }

    /// Puts an app's schemas in order; each holds until the next one begins, if it does not end before.
    private static func sequence(_ located: [Located], _ invalid: inout InvalidDocuments) -> [ConversionSchema] {
        var sorted = located.sorted { $0.schema.from < $1.schema.from }
        for (index, next) in sorted.enumerated().dropFirst() {
            let former = sorted[index - 1]
            if next.schema.from == former.schema.from || former.schema.through.map({ next.schema.from <= $0 }) == true {
                let problem = DocumentProblem(
                    next.path + ".from", found: next.schema.from.description,
                    expected: "a day after \(former.schema.through ?? former.schema.from), for app "
                        + "\(next.schema.app) has another schema until then (\(former.document), \(former.path))",
                    cure: "let one end before the other begins")
                invalid.note([problem], in: next.document)
            } else if former.schema.through == nil {
                sorted[index - 1].schema.through = next.schema.from.advanced(by: -1)
            }
        }
        return sorted.map(\.schema)
    }

    /// The apps that have schemas, by their numbers.
    package var apps: [AppStoreItemID] {
        schemas.keys.sorted { $0.value < $1.value }
    }

    /// How many schemas there are.
    package var count: Int {
        schemas.values.reduce(0) { $0 + $1.count }
    }

    /// The schemas of an app, in order of time.
    package func schemas(of app: AppStoreItemID) -> [ConversionSchema] {
        schemas[app] ?? []
    }

    /// The schema by which an app sets values on a day.
    package func schema(of app: AppStoreItemID, on day: CalendarDay) -> ConversionSchema? {
        schemas(of: app).first { $0.holds(on: day) }
    }

    /// The schemas by which an app may have set the value of a postback that arrived at a time in Unix milliseconds.
    package func candidates(
        for app: AppStoreItemID,
        arrival: Range<Int64>,
        timing: PostbackTiming
    ) -> (schemas: [ConversionSchema], mayHaveNone: Bool) {
        // A value set at the end of a day still belongs to that day; days of UTC begin at multiples of a day.
        let day: Int64 = 86_400_000
        let earliest = (arrival.lowerBound - timing.sinceValue.upperBound * day).dividedRoundingDown(by: day)
        let latest = (arrival.upperBound - 1 - timing.sinceValue.lowerBound * day).dividedRoundingDown(by: day)
        let candidates = schemas(of: app).filter { schema in
            schema.from.number <= latest && (schema.through.map { $0.number >= earliest } ?? true)
        }
        let covered = candidates.reduce(Int64(0)) { sum, schema in
            sum + min(latest, schema.through?.number ?? latest) - max(earliest, schema.from.number) + 1
        }
        return (candidates, covered < latest - earliest + 1)
    }
}

/// The days on which an app went from one schema to another, and on which postbacks of both may arrive.
package struct SchemaChange: Hashable, Sendable {
    package let app: AppStoreItemID
    /// The schema until then; nil for none.
    package let former: ConversionSchema?
    /// The schema from then on; nil for none.
    package let next: ConversionSchema?
    /// The first day (UTC) of the new schema, or without one.
    package let day: CalendarDay

    /// When postbacks may have a value of either, in Unix milliseconds.
    package func band(_ timing: PostbackTiming) -> Range<Int64> {
        let millisecondsADay: Int64 = 86_400_000
        let change = day.number * millisecondsADay
        let (least, most) = (timing.sinceValue.lowerBound, timing.sinceValue.upperBound)
        // The last value of the former schema is set just before the change, the first one of the next just after it.
        return change + least * millisecondsADay..<change + most * millisecondsADay
    }

    /// The days (UTC) on which postbacks may have a value of either.
    package func bandDays(_ timing: PostbackTiming) -> ClosedRange<CalendarDay> {
        day.advanced(by: timing.sinceValue.lowerBound)...day.advanced(by: timing.sinceValue.upperBound - 1)
    }
}

extension ConversionSchemas {
    /// The changes of an app's schemas, in order of time; its first schema and the end of its last one are changes too.
    package func changes(of app: AppStoreItemID) -> [SchemaChange] {
        var changes: [SchemaChange] = []
        var former: ConversionSchema?
        for schema in schemas(of: app) {
            let end = former?.through?.next
            if let end, end < schema.from {
                changes.append(SchemaChange(app: app, former: former, next: nil, day: end))
                former = nil
            }
            changes.append(SchemaChange(app: app, former: former, next: schema, day: schema.from))
            former = schema
        }
        if let end = former?.through?.next {
            changes.append(SchemaChange(app: app, former: former, next: nil, day: end))
        }
        return changes
    }
}
