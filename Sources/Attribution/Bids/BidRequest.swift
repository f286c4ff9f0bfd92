import StrictJSON

/// What a bidder wants signed: for the `imp.ext` of one imp, or for a whole OpenRTB bid request (2.5 and 2.6).
///
/// The bidder adds `advertise` to what the exchange sent. Members of OpenRTB that decide nothing here are ignored.
package enum BidRequest: Sendable {
    /// The members of one `imp.ext`.
    case one(BidSigningRequest)
    /// The bids on the imps of a whole bid request.
    case whole([Bid])

    /// A bid on one imp.
    package struct Bid: Sendable {
        /// `imp.id`, for `bid.impid`.
        package let impID: String
        /// What to sign.
        package let request: BidSigningRequest
    }

    /// How deep a bid request may nest; exchanges add objects of their own everywhere.
    package static let maximumDepth = 32
    /// How many bids one request may ask for; each takes up to three signatures.
    package static let maximumBids = 64

    /// Reads a request: a whole one if it has the member `imp`, otherwise the members of one `imp.ext`.
    ///
    /// In a whole request `advertise` is one object for every imp that has an extension, or one or a list of objects that
    /// name their imp in `impid`.
    ///
    /// - Parameters:
    ///   - body: A JSON object.
    ///   - limit: The maximum length of the body, in bytes.
    /// - Throws: ``SigningRefusal`` for a body that is not JSON, without an extension, or with an error in `advertise`
    ///   or in the list of imps. An error within an extension refuses only that extension; an `ext` that is not
    ///   an object refuses only its imp.
    package init(reading body: [UInt8], limit: Int) throws(SigningRefusal) {
        self = try SigningRefusal.orRequest(reading: body, limit: limit, depth: Self.maximumDepth) {
            fields throws(FieldProblem) in
            fields.has("imp") ? .whole(try Self.bids(fields)) : .one(try BidSigningRequest(fields))
        }
    }

    /// The networks that may sign; empty if any bid leaves the choice among all networks with keys.
    package var networks: [String] {
        switch self {
        case .one(let request): return request.networks
        case .whole(let bids):
            let named = bids.map(\.request.networks)
            return named.contains([]) ? [] : named.flatMap(\.self)
        }
    }

    // MARK: Whole requests

    private struct Imp {
        let id: String
        let extensions: BidExtensions
    }

    private static func bids(_ fields: RequestFields) throws(FieldProblem) -> [Bid] {
        for name in ["skadn", "adattributionkit"] where fields.has(name) {
            throw fields.problem(name, found: "a value beside imp", expected: "the extension in imp[].ext")
        }
        let imps = try imps(fields)
        guard imps.contains(where: { !$0.extensions.isEmpty }) else {
            throw fields.problem(
                "imp[].ext", found: "no skadn and no adattributionkit in any imp", expected: "one of them in an imp")
        }
        let bids: [Bid]
        if fields.isArray("advertise") {
            bids = try named(fields.objects("advertise"), imps)
        } else if let advertise = try fields.object("advertise") {
            bids = try advertise.has("impid") ? named([advertise], imps) : unnamed(advertise, imps)
        } else {
            throw Advertisement.missing
        }
        guard bids.count <= maximumBids else {
            throw fields.problem(
                "imp", found: "\(bids.count) bids to sign", expected: "at most \(maximumBids) in a request")
        }
        return bids
    }

    private static func imps(_ fields: RequestFields) throws(FieldProblem) -> [Imp] {
        var imps: [Imp] = []
        var ids: Set<String> = []
        let app = RequestingApp(fields)
        for imp in try fields.objects("imp") {
            let id = try imp.required(imp.identifier("id"), "id", "a string, unique in the bid request")
            guard ids.insert(id).inserted else {
                throw imp.problem(
                    "id", found: "\"\(id.shortened(to: 40))\" again", expected: "a string, unique in the bid request")
            }
            do throws(FieldProblem) {
                if let ext = try imp.object("ext") {
                    imps.append(Imp(id: id, extensions: BidExtensions(ext, app)))
                }
            } catch {
                imps.append(Imp(id: id, extensions: BidExtensions(unreadable: error)))
            }
        }
        return imps
    }

    /// One advertisement for every imp with an extension.
    private static func unnamed(_ advertise: RequestFields, _ imps: [Imp]) throws(FieldProblem) -> [Bid] {
        let advertisement = try Advertisement(advertise)
        return imps.filter { !$0.extensions.isEmpty }.map { imp in
            Bid(impID: imp.id, request: BidSigningRequest(imp.extensions, advertisement))
        }
    }

    /// An advertisement for each of the imps that the bidder names; an imp may be named more than once.
    private static func named(_ advertise: [RequestFields], _ imps: [Imp]) throws(FieldProblem) -> [Bid] {
        var bids: [Bid] = []
        for fields in advertise {
            let id = try fields.required(fields.identifier("impid"), "impid", "the id of the imp to bid on")
            guard let imp = imps.first(where: { $0.id == id && !$0.extensions.isEmpty }) else {
                throw fields.problem(
                    "impid", found: "\"\(id.shortened(to: 40))\"",
                    expected: "the id of an imp whose ext has skadn or adattributionkit")
            }
            bids.append(
                Bid(
                    impID: id,
                    request: BidSigningRequest(imp.extensions, try Advertisement(fields, isForNamedImp: true))))
        }
        guard !bids.isEmpty else {
            throw Advertisement.missing
        }
        return bids
    }
}
