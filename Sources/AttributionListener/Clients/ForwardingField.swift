/// The header field in which a trusted proxy reports its client.
///
/// One of the two, because a proxy that writes one passes the other on as the client sent it.
package enum ForwardingField: String, Sendable, CaseIterable {
    /// `X-Forwarded-For: client, proxy`.
    case xForwardedFor = "x-forwarded-for"
    /// `Forwarded: for=client, for=proxy`.
    ///
    /// - SeeAlso: RFC 7239.
    case forwarded = "forwarded"
}
