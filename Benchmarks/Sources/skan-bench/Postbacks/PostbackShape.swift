/// The dimensions of the traffic: a network of some size, the same in everything that is sent or stored beforehand.
enum PostbackShape {
    static let network = "example123.skadnetwork"
    static let apps = 50
    static let firstApp = 1_000_000_001
    /// Campaign ids of 3.0, and source identifiers of 4.0 from 1000 on, of each app.
    static let campaigns = 20
    static let sourceApps = 200
    static let firstSourceApp = 1_500_000_001
    /// The days over which a store made beforehand is spread.
    static let days = 25
}
