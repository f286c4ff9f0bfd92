package import AttributionListener

/// Where recorded postbacks are forwarded, and how: one object of a ``DestinationFile``.
///
/// What forwards to it reads recorded postbacks with ``OutgoingPostback/read(_:by:)``, asks
/// ``DestinationFilters/accept(_:)`` of ``filters``, makes an ``OutgoingRequest`` of each that is accepted, and hands it
/// to ``DestinationClient/send(_:to:at:within:)`` until its ``DeliveryResult`` says that it arrived. A request is the
/// same in every attempt, apart from the time of the attempt and the signature over it.
package struct Destination: Hashable, Sendable {
    /// What the postback becomes.
    package enum BodyMode: String, CaseIterable, Hashable, Sendable {
        /// The received bytes, a stranger's members included.
        case raw
        /// A JSON object of Apple's documented members and ours.
        case rawAndMembers = "raw+members"
        /// No body: Apple's documented members and ours in the URL's query.
        case query
    }

    /// How it is requested.
    package enum Method: String, CaseIterable, Hashable, Sendable {
        case post = "POST"
        case put = "PUT"
        case get = "GET"
    }

    /// A header field; its value may name the secret.
    package struct Header: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// Its name, by which its cursor is found and the ids of its requests are made.
    package let name: String
    /// The contract it was made of, if any.
    package let preset: DestinationPreset?
    package let url: URLTemplate
    package let method: Method
    package let headers: [Header]
    package let body: BodyMode
    /// What is added to Apple's members.
    package let members: [AddedMember]
    /// Whether Apple's members that a postback lacks, and added ones without a value, are sent as `null`.
    package let fillsNull: Bool
    /// Which postbacks it gets.
    package let filters: DestinationFilters
    /// How many requests a second it gets at most; nil for no limit.
    package let rate: Int?
    /// How many requests are under way at a time; 1 for one that wants them in order.
    package let concurrency: Int
    /// Whether a request waits until all before it have arrived.
    package let isOrdered: Bool
    /// The proxy that connects to it, as `host:port`.
    package let proxy: ServerName?
    /// The networks, otherwise refused, in which it may be.
    package let allow: [InternetNetwork]
    /// What its requests are signed with, or what it knows us by.
    package let secret: DestinationSecret?
}
