/// A bid request as an exchange might send it, with what the server has to answer.
package struct BidRequestCase: Sendable, CustomStringConvertible {
    /// What the answer for one extension has to be.
    package enum Expectation: Sendable, Hashable {
        /// The extension is not in the request, and so not in the answer.
        case absent
        /// Signed: this version, this spelling of the network, so many signatures.
        case signed(version: String, network: String, signatures: Int)
        /// Refused, with this code.
        case refused(reason: String)
    }

    /// The number of the case under its seed.
    package let number: Int
    /// What the server is sent.
    package let body: String
    /// What has to come for `skadn`.
    package let skadn: Expectation
    /// What has to come for `adattributionkit`.
    package let adAttributionKit: Expectation
    /// `sourceapp` of the request.
    package let sourceApp: Int64
    /// `advertise.itunesitem`.
    package let itunesItem: Int64
    /// `advertise.campaign`, if there is one.
    package let campaign: Int64?
    /// `advertise.sourceidentifier`, if there is one.
    package let sourceIdentifier: Int64?

    /// The number and the body, by which a failure can be repeated.
    package var description: String {
        "bid request \(number): \(body)"
    }
}
