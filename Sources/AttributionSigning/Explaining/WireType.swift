import Attribution
import StrictJSON

/// The JSON type in which Apple sends a field.
enum WireType {
    case version, string, digits, integer, boolean

    /// Whether a value has the type.
    func admits(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.version, .string), (.string, .string), (.digits, .string), (.integer, .integer), (.boolean, .bool): true
        default: false
        }
    }

    /// A value of another type that a forwarder may have made of one of this type, turned back; nil if it cannot be.
    func convert(_ value: JSONValue) -> JSONValue? {
        switch (self, value) {
        case _ where admits(value): value
        case (.version, .integer(let number)): .string("\(number).0")
        case (.version, .number(let text)), (.string, .number(let text)): .string(text)
        case (.string, .integer(let number)), (.digits, .integer(let number)): .string(String(number))
        case (.integer, .string(let text)): Self.integer(text).map(JSONValue.integer)
        case (.integer, .number(let text)): Self.integer(text).map(JSONValue.integer)
        case (.digits, .number(let text)): Self.integer(text).map { .string(String($0)) }
        case (.integer, .bool(let flag)): .integer(flag ? 1 : 0)
        case (.boolean, .integer(0)): .bool(false)
        case (.boolean, .integer(1)): .bool(true)
        case (.boolean, .string(let text)):
            ["true": true, "1": true, "false": false, "0": false][text.lowercased()].map(JSONValue.bool)
        default: nil
        }
    }

    /// The whole number that a text means, also with a fraction of zeros or an exponent.
    private static func integer(_ text: String) -> Int64? {
        Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    }
}

extension PostbackField {
    /// The type in which Apple sends the field; nil for fields that are not signed.
    var wireType: WireType? {
        switch self {
        case .version: .version
        case .adNetworkID, .transactionID, .sourceDomain, .postbackIdentifier, .adNetworkIdentifier, .conversionType,
            .impressionType, .marketplaceIdentifier:
            .string
        case .sourceIdentifier: .digits
        case .campaignID, .appID, .sourceAppID, .fidelityType, .sequenceIndex, .advertisedItemIdentifier,
            .publisherItemIdentifier:
            .integer
        case .redownload, .didWin: .boolean
        case .conversionValue, .coarseConversionValue, .countryCode, .attributionSignature, .jwsString,
            .adInteractionType:
            nil
        }
    }
}
