/// The dimensions of the traffic: a network of some size, the same in everything that is sent or stored beforehand.
enum PostbackShape {
    static let network = "example123.skadnetwork"
    static let apps = 50
    static let firstApp = 1_000_000_001
    /// Of each app; no two apps share one, so that there are a thousand.
    static let campaigns = 20
    static let sourceApps = 200
    static let firstSourceApp = 1_500_000_001
    /// Conversion values are those below; few before 4.0, so that campaign ids by source apps are a million cells at most.
    static let conversions = 64
    static let formerConversions = 10
    /// The days over which a store made beforehand is spread, and their beginning in Unix milliseconds: 2025-01-01.
    static let days = 400
    static let start: Int64 = 1_735_689_600_000

    /// The campaign id of versions before 4.0, from 1 to 100; ten apps share one.
    static func campaignID(app: Int, campaign: Int) -> Int {
        (app * campaigns + campaign) % 100 + 1
    }

    /// The source identifier of 4.0, of four digits.
    static func sourceIdentifier(app: Int, campaign: Int) -> Int {
        1_000 + app * campaigns + campaign
    }
}
