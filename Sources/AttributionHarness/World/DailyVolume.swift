import Attribution
import Foundation

/// How many installs a campaign has on a day, and at what hour.
struct DailyVolume {
    /// Evenings are busy and nights are quiet.
    private static let hours: [Double] = [
        2, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 5, 5, 5, 4, 4, 5, 5, 6, 7, 8, 8, 6, 4,
    ]
    private static let hourSum = hours.reduce(0, +)

    /// Expects a number of installs.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - day: The day of the scenario, from 1; before that for campaigns that were already running.
    ///   - weekday: The day of the week, 0 for Monday.
    /// - Returns: The number.
    static func expected(of campaign: Scenario.Campaign, day: Int, weekday: Int) -> Double {
        let isRunning = day < 1 ? campaign.from == 1 : (campaign.from...campaign.through).contains(day)
        guard isRunning else {
            return 0
        }
        let weeks = Double(day - campaign.from) / 7
        let growth = campaign.growth == 1 ? 1 : pow(campaign.growth, weeks)
        return campaign.installs * campaign.weekdays[weekday] * growth
    }

    /// The day of the week of a day of the scenario, 0 for Monday.
    ///
    /// - Parameters:
    ///   - day: The day, from 1; before that for campaigns that were already running.
    ///   - start: The day of the calendar on which the scenario begins.
    /// - Returns: The day of the week.
    static func weekday(ofDay day: Int, since start: CalendarDay) -> Int {
        Int((start.number + Int64(day) - 1 + 3) % 7 + 7) % 7
    }

    /// A moment of a day, in milliseconds since its beginning.
    static func moment(using generator: inout SeededGenerator) -> Int64 {
        var rest = Double.random(in: 0..<hourSum, using: &generator)
        var hour = 0
        while hour < 23, rest >= hours[hour] {
            rest -= hours[hour]
            hour += 1
        }
        return Int64(hour) * AppleRules.hour + Int64.random(in: 0..<AppleRules.hour, using: &generator)
    }
}
