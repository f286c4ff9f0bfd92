package import Attribution

/// The days on which an app went from one schema to another, and on which postbacks of both may arrive.
package struct SchemaChange: Hashable, Sendable {
    /// The app.
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
