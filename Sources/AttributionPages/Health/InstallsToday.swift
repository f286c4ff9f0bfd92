import Attribution
import AttributionReports

/// How many installs today has brought so far.
struct InstallsToday {
    /// What is counted: test installs are named as such.
    let name: String
    /// Today's, so far.
    let count: Int64
    /// Those of the whole of yesterday; nil where the report does not have that day.
    let yesterday: Int64?
}

extension StandardReport {
    /// Today's installs, from the section of days; nil for a report of other days.
    func installsToday(nowMilliseconds: Int64) -> InstallsToday? {
        let today = CalendarDay(containing: nowMilliseconds, in: request.selection.timeZone)
        guard let count = installs(on: today) else {
            return nil
        }
        let traffic = request.selection.traffic
        return InstallsToday(
            name: traffic == .apple ? "Installs today" : "\(traffic.rawValue.capitalizedFirst) installs today",
            count: count, yesterday: installs(on: today.advanced(by: -1)))
    }

    private func installs(on day: CalendarDay) -> Int64? {
        guard let days = sections.first(where: { $0.name == "days" }),
            let name = days.columns.firstIndex(where: { $0.dimension == .day }),
            let installs = days.columns.firstIndex(where: { $0.name == "installs" }),
            let row = days.rows.first(where: { $0.cells[name] == .key(day.description) }),
            case .count(let count) = row.cells[installs]
        else {
            return nil
        }
        return count
    }
}
