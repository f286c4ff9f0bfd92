/// A bid request as an exchange might send it, with the expected answer.
package struct BidRequestCase: Sendable, CustomStringConvertible {
    /// The expected answer for an extension.
    package enum Expectation: Sendable, Hashable {
        /// Absent from the request, and so from the answer.
        case absent
        /// Signed, with this version, spelling of the network and number of signatures.
        case signed(version: String, network: String, signatures: Int)
        /// Refused, with this code.
        case refused(reason: String)
    }

    /// The number of the case in its seed's sequence.
    package let number: Int
    /// The body of the request.
    package let body: String
    /// The expected answer for `skadn`.
    package let skadn: Expectation
    /// The expected answer for `adattributionkit`.
    package let adAttributionKit: Expectation
    /// `sourceapp` of the request.
    package let sourceApp: Int64
    /// `advertise.itunesitem`.
    package let itunesItem: Int64
    /// `advertise.campaign`, if there is one.
    package let campaign: Int64?
    /// `advertise.sourceidentifier`, if there is one.
    package let sourceIdentifier: Int64?

    /// The number and the body, to reproduce a failure.
    package var description: String {
        "bid request \(number): \(body)"
    }
}
