import Attribution

extension CountsTable {
    /// A section with a row for each day of the period, days without postbacks included, and the day of the previous
    /// period that has the same number in it.
    ///
    /// - Parameters:
    ///   - name: The stable name.
    ///   - title: The heading.
    ///   - meaning: What it shows, in one line.
    ///   - figures: The answers.
    ///   - days: The counts by day.
    ///   - notes: What a reader has to know.
    /// - Returns: The section.
    func daySection(
        _ name: String,
        _ title: String,
        _ meaning: String,
        _ figures: StandardReportFigures,
        _ days: [CalendarDay: Counts],
        notes: [String] = []
    ) -> ReportSection {
        let length = figures.request.previous.map(\.count)
        var sums = Counts()
        var previousSums = length.map { _ in Counts() }
        let first = figures.request.period?.first
        let rows = figures.shownDays.map { day in
            let current = days[day] ?? Counts()
            sums += current
            // A day beyond today has none to be compared with.
            let isCompared = length.map { length in first.map { day.number - $0.number < length } ?? false } ?? false
            let previous = length.flatMap { isCompared ? days[day.advanced(by: -$0)] ?? Counts() : nil }
            if let previous {
                previousSums? += previous
            }
            return row([day.description], current, previous)
        }
        return ReportSection(
            name: name, title: title, meaning: meaning, columns: columns, rows: rows,
            totals: totals(sums, previousSums), notes: notes,
            chart: .line(day: ReportDimension.day.rawValue, value: self.figures.first?.column.name ?? ""))
    }
}

extension StandardReportFigures {
    /// The longest period with a row for each of its days; longer ones have rows for days with postbacks alone.
    private static let mostDays: Int64 = 3_660

    /// The days of the period: up to today or the last day with postbacks, whichever is later; without a first day,
    /// from the first to the last day with postbacks.
    var shownDays: [CalendarDay] {
        let used = days.keys.filter(request.contains).sorted()
        let first = request.selection.from ?? used.first
        let last = [request.period?.last ?? used.last, used.last].compactMap(\.self).max()
        guard let first, let last, first <= last else {
            return []
        }
        guard last.number - first.number < Self.mostDays else {
            return used
        }
        return (first.number...last.number).map { CalendarDay(number: $0) }
    }

    /// The sum of the counts of the days of the period.
    func total(_ days: [CalendarDay: Counts]) -> Counts {
        days.reduce(into: Counts()) { sum, entry in
            if request.contains(entry.key) {
                sum += entry.value
            }
        }
    }

    /// The sum of the counts of the days of the previous period; nil if figures are not compared.
    func previousTotal(_ days: [CalendarDay: Counts]) -> Counts? {
        request.previous.map { period in
            days.reduce(into: Counts()) { sum, entry in
                if (period.first...period.last).contains(entry.key) {
                    sum += entry.value
                }
            }
        }
    }
}

extension StandardReportRequest {
    /// Whether a day is in the requested days, also one beyond today.
    func contains(_ day: CalendarDay) -> Bool {
        selection.from.map { $0 <= day } ?? true && selection.through.map { day <= $0 } ?? true
    }
}
