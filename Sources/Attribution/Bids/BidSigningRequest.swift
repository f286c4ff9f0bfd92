import StrictJSON

/// The extensions of one `imp` of a bid request, with what the bidder wants to advertise.
///
/// `{"skadn": {…}, "adattributionkit": {…}, "advertise": {…}}`: the members of `imp.ext` as the exchange sent them, and
/// `advertise` from the bidder. Other members are ignored.
package struct BidSigningRequest: Sendable {
    private let skadn: Result<SkadnRequest, BidRefusal>?
    private let adAttributionKit: Result<AdAttributionKitRequest, BidRefusal>?
    private let advertisement: Advertisement

    /// Reads a request.
    ///
    /// An error in one extension does not affect the other; ``offers(from:)`` returns it as a refusal.
    ///
    /// - Parameters:
    ///   - body: A JSON object.
    ///   - limit: The maximum length of the body, in bytes.
    /// - Throws: ``SigningRefusal`` for a body that is not JSON or has neither extension, and for errors in
    ///   `advertise`.
    package init(reading body: [UInt8], limit: Int) throws(SigningRefusal) {
        let fields: RequestFields
        do throws(JSONError) {
            fields = try RequestFields(reading: body, limit: limit)
        } catch {
            throw .notJSON(error)
        }
        skadn = Self.read(fields, .skadn) { fields throws(FieldProblem) in try SkadnRequest(fields) }
        adAttributionKit = Self.read(fields, .adAttributionKit) { fields throws(FieldProblem) in
            try AdAttributionKitRequest(fields)
        }
        do throws(FieldProblem) {
            guard skadn != nil || adAttributionKit != nil else {
                throw FieldProblem(
                    field: "skadn", found: "nothing, and no adattributionkit",
                    expected: "the members of imp.ext, and \"advertise\"")
            }
            guard let advertise = try fields.object("advertise") else {
                throw FieldProblem(
                    field: "advertise", found: "nothing",
                    expected: "an object with itunesitem, and sourceidentifier or campaign")
            }
            advertisement = try Advertisement(advertise)
        } catch {
            throw .field(error)
        }
    }

    /// The networks that may sign, in order of preference; empty for all networks with keys.
    package var networks: [String] {
        advertisement.networks
    }

    private static func read<Read>(
        _ fields: RequestFields,
        _ name: BidRefusal.Extension,
        _ reader: (RequestFields) throws(FieldProblem) -> Read
    ) -> Result<Read, BidRefusal>? {
        do throws(FieldProblem) {
            return try fields.object(name.rawValue).map { fields throws(FieldProblem) in .success(try reader(fields)) }
        } catch {
            return .failure(BidRefusal(name, error))
        }
    }

    /// An offer or a refusal for each extension of the request.
    ///
    /// - Parameter networks: The networks with keys.
    /// - Returns: The offers and refusals; nil for an extension the request does not have.
    /// - Throws: ``SigningRefusal/field(_:)`` if `advertise.networks` names a network without a key.
    package func offers(
        from networks: [BiddingNetwork]
    ) throws(SigningRefusal) -> (
        skadn: Result<SkadnOffer, BidRefusal>?, adAttributionKit: Result<AdAttributionKitOffer, BidRefusal>?
    ) {
        let signing: [BiddingNetwork]
        do throws(FieldProblem) {
            signing = try advertisement.signing(of: networks)
        } catch {
            throw .field(error)
        }
        return (
            skadn.map { request in
                request.flatMap { request in
                    Result { () throws(BidRefusal) in try SkadnOffer(request, advertisement, networks: signing) }
                }
            },
            adAttributionKit.map { request in
                request.flatMap { request in
                    Result { () throws(BidRefusal) in
                        try AdAttributionKitOffer(request, advertisement, networks: signing)
                    }
                }
            }
        )
    }
}
