package import Attribution
package import AttributionStore

/// A report with a name: its sections, and what they were counted from.
package struct StandardReport: Sendable {
    /// The request.
    package let request: StandardReportRequest
    /// The sections, all counted up to the same position; only the requested one if the request names one.
    package let sections: [ReportSection]
    /// The position up to which postbacks were counted.
    package let position: LedgerPosition
    /// When the last of them was recorded, in Unix milliseconds; nil if there is none.
    package let recordedAtMilliseconds: Int64?
    /// The first day with a postback that the conditions select, up to the end of the period; nil if there is none.
    package let firstDay: CalendarDay?
    /// Problems of the store that affect the figures.
    package let warnings: [String]
    /// What limits the figures without being a problem, such as a period that begins before the first postback.
    package let notes: [String]
    /// Values in the conditions that no recorded postback has.
    package let unseen: [LedgerAnswer.UnseenValue]
    /// The version of the program that made it; nil if unknown.
    package let programVersion: String?

    /// Creates a report.
    package init(
        request: StandardReportRequest,
        sections: [ReportSection],
        position: LedgerPosition,
        recordedAtMilliseconds: Int64?,
        firstDay: CalendarDay?,
        warnings: [String],
        notes: [String],
        unseen: [LedgerAnswer.UnseenValue],
        programVersion: String?
    ) {
        self.request = request
        self.sections = sections
        self.position = position
        self.recordedAtMilliseconds = recordedAtMilliseconds
        self.firstDay = firstDay
        self.warnings = warnings
        self.notes = notes
        self.unseen = unseen
        self.programVersion = programVersion
    }

    /// The name of the report.
    package var name: StandardReportName {
        request.name
    }
}
