import StrictJSON

/// The extensions of one `imp` of a bid request, with what the bidder wants to advertise there.
package struct BidSigningRequest: Sendable {
    private let skadn: Result<SkadnRequest, BidRefusal>?
    private let adAttributionKit: Result<AdAttributionKitRequest, BidRefusal>?
    private let advertisement: Advertisement

    /// Reads the members of one `imp.ext` with the bidder's `advertise` beside them.
    ///
    /// `{"skadn": {…}, "adattributionkit": {…}, "advertise": {…}}`; other members are ignored. An error in one extension does not affect the other; ``offers(from:)`` returns it as a refusal.
    ///
    /// - Parameters:
    ///   - body: A JSON object.
    ///   - limit: The maximum length of the body, in bytes.
    /// - Throws: ``SigningRefusal`` for a body that is not JSON or has neither extension, and for errors in
    ///   `advertise`.
    package init(reading body: [UInt8], limit: Int) throws(SigningRefusal) {
        self = try SigningRefusal.orRequest(reading: body, limit: limit, depth: BidRequest.maximumDepth) {
            fields throws(FieldProblem) in try Self(fields)
        }
    }

    /// Reads the members of one `imp.ext` with `advertise` beside them.
    init(_ fields: RequestFields) throws(FieldProblem) {
        let extensions = BidExtensions(fields, RequestingApp(fields))
        guard !extensions.isEmpty else {
            throw FieldProblem(
                field: "skadn", found: "nothing, and no adattributionkit",
                expected: "the members of imp.ext, or imp and the rest of a bid request, with \"advertise\"")
        }
        guard let advertise = try fields.object("advertise") else {
            throw Advertisement.missing
        }
        self.init(extensions, try Advertisement(advertise))
    }

    init(_ extensions: BidExtensions, _ advertisement: Advertisement) {
        skadn = extensions.skadn
        adAttributionKit = extensions.adAttributionKit
        self.advertisement = advertisement
    }

    /// The networks that may sign, in order of preference; empty for all networks with keys.
    package var networks: [String] { advertisement.networks }

    /// An offer or a refusal for each extension of the request.
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

/// The two extensions of an `imp.ext`, each as read or with its error; nil for one it does not have.
struct BidExtensions {
    let skadn: Result<SkadnRequest, BidRefusal>?
    let adAttributionKit: Result<AdAttributionKitRequest, BidRefusal>?

    init(_ fields: RequestFields, _ app: RequestingApp?) {
        skadn = Self.read(fields, .skadn) { fields throws(FieldProblem) in try SkadnRequest(fields, app) }
        adAttributionKit = Self.read(fields, .adAttributionKit) { fields throws(FieldProblem) in
            try AdAttributionKitRequest(fields, app)
        }
    }

    /// For an `ext` that is not an object: which extension was meant is unknown, so SKAdNetwork's is refused.
    init(unreadable problem: FieldProblem) {
        skadn = .failure(BidRefusal(.skadn, problem))
        adAttributionKit = nil
    }

    var isEmpty: Bool { skadn == nil && adAttributionKit == nil }

    private static func read<Read>(
        _ fields: RequestFields, _ name: BidRefusal.Extension, _ reader: (RequestFields) throws(FieldProblem) -> Read
    ) -> Result<Read, BidRefusal>? {
        do throws(FieldProblem) {
            return try fields.object(name.rawValue).map { fields throws(FieldProblem) in .success(try reader(fields)) }
        } catch {
            return .failure(BidRefusal(name, error))
        }
    }
}
