package import Attribution

/// Values that mean something else in one set of schemas than in another, on the same days.
package struct SchemaDifference: Hashable, Sendable {
    package let app: AppStoreItemID
    /// The first day on which they differ.
    package let from: CalendarDay
    /// The last one; nil for no end.
    package let through: CalendarDay?
    /// The values, such as `values 10-15` or `coarse high in window 1`.
    package let values: String
    /// What they mean in the one set; nil for nothing.
    package let former: String?
    /// What they mean in the other.
    package let next: String?

    package static func all(from former: ConversionSchemas, to next: ConversionSchemas) -> [SchemaDifference] {
        let apps = Set(former.apps + next.apps).sorted { $0.value < $1.value }
        return apps.flatMap { app in
            let schemas = former.schemas(of: app) + next.schemas(of: app)
            let days = Set(schemas.flatMap { [$0.from] + ($0.through.map { [$0.next] } ?? []) }).sorted()
            return days.indices.flatMap { index in
                differences(
                    app, from: days[index], through: index + 1 < days.count ? days[index + 1].advanced(by: -1) : nil,
                    former.schema(of: app, on: days[index]), next.schema(of: app, on: days[index]))
            }
        }
    }

    private static func differences(
        _ app: AppStoreItemID,
        from: CalendarDay,
        through: CalendarDay?,
        _ former: ConversionSchema?,
        _ next: ConversionSchema?
    ) -> [SchemaDifference] {
        func difference(_ values: String, _ texts: Texts) -> SchemaDifference {
            SchemaDifference(
                app: app, from: from, through: through, values: values, former: texts.former, next: texts.next)
        }
        var groups: [(texts: Texts, values: [Int])] = []
        for value in 0...63 {
            let texts = Texts(former, next) { $0.fine[value] }
            guard texts.former != texts.next else {
                continue
            }
            if let index = groups.firstIndex(where: { $0.texts == texts }) {
                groups[index].values.append(value)
            } else {
                groups.append((texts, [value]))
            }
        }
        var differences = groups.map { group in
            difference(
                (group.values.count == 1 ? "value " : "values ") + ConversionSchema.ranges(of: group.values),
                group.texts)
        }
        for window in 0..<3 {
            for value in CoarseConversionValue.allCases {
                let texts = Texts(former, next) { $0.coarse[window][value] }
                if texts.former != texts.next {
                    differences.append(difference("coarse \(value.rawValue) in window \(window + 1)", texts))
                }
            }
        }
        return differences
    }

    /// The meanings of a value in both sets.
    private struct Texts: Hashable {
        let former: String?
        let next: String?

        init(
            _ former: ConversionSchema?,
            _ next: ConversionSchema?,
            _ meaning: (ConversionSchema) -> ConversionMeaning?
        ) {
            self.former = former.flatMap { schema in meaning(schema)?.text(in: schema.currency) }
            self.next = next.flatMap { schema in meaning(schema)?.text(in: schema.currency) }
        }
    }
}
