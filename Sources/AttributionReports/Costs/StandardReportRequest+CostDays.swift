import Attribution

extension StandardReportRequest {
    /// The days of the period, for what is known by the day of UTC.
    var costDays: ClosedRange<CalendarDay> {
        let first = selection.from ?? CalendarDay(number: 0)
        // Far enough, and with room to count beyond it.
        return first...max(first, selection.through ?? CalendarDay(number: 1 << 32))
    }
}
