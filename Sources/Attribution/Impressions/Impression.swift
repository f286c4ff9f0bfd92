package import StrictJSON

/// An impression of either framework, checked and ready to sign.
package enum Impression: Hashable, Sendable {
    case skAdNetwork(SKAdNetworkImpression)
    case adAttributionKit(AdAttributionKitImpression)
}

extension Impression {
    /// The network that signs it.
    package var adNetworkID: AdNetworkID {
        switch self {
        case .skAdNetwork(let impression): impression.adNetworkID
        case .adAttributionKit(let impression): impression.adNetworkIdentifier
        }
    }
}

package enum AdForm: String, CaseIterable, Hashable, Sendable {
    /// An ad that opens StoreKit's product page; fidelity 1.
    case storeKitRendered = "storekit-rendered"
    /// An ad that is only viewed; fidelity 0, from 2.2.
    case viewThrough = "view-through"
    /// An ad on a web page; fidelity 1, from 4.0.
    case web
}

/// Why a signing request gets no signature.
package enum SigningRefusal: CodedError, Hashable, Sendable {
    /// The body is not one JSON object.
    case notJSON(JSONError)
    /// A field is invalid.
    case field(FieldProblem)

    package var code: ErrorCode {
        switch self {
        case .notJSON(let error): error.code
        case .field(let problem): problem.code
        }
    }
}

extension SigningRefusal: CustomStringConvertible {
    /// The field, what was found, and what was expected.
    package var description: String {
        switch self {
        case .notJSON(let error): error.description
        case .field(let problem): problem.description
        }
    }
}

extension SigningRefusal {
    /// Reads a signing request, so that each kind of request words what is wrong in the same way.
    static func orRequest<Request>(
        reading body: [UInt8], limit: Int, depth: Int = JSONObject.maximumDepth,
        _ make: (RequestFields) throws(FieldProblem) -> Request
    ) throws(SigningRefusal) -> Request {
        let fields: RequestFields
        do throws(JSONError) {
            fields = try RequestFields(reading: body, limit: limit, depth: depth)
        } catch {
            throw .notJSON(error)
        }
        do throws(FieldProblem) {
            return try make(fields)
        } catch {
            throw .field(error)
        }
    }
}

extension RequestFields {
    /// A value that may not be absent.
    func required<Value>(_ value: Value?, _ name: String, _ expected: String) throws(FieldProblem) -> Value {
        guard let value else {
            throw problem(name, found: "nothing", expected: expected)
        }
        return value
    }

    /// A campaign id or source identifier; nil if absent.
    func campaignNumber<Number: CampaignNumber>(_ name: String) throws(FieldProblem) -> Number? {
        try integer(name).map { number throws(FieldProblem) in try .checked(number, field: prefix + name) }
    }

    /// The app that shows an ad, 0 in development; nil if absent.
    func sourceApp(_ name: String) throws(FieldProblem) -> AppStoreItemID? {
        try integer(name).map { number throws(FieldProblem) in try .source(number, field: prefix + name) }
    }
}
