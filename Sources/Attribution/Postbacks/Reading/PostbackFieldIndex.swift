import StrictJSON

/// The values of Apple's fields in a JSON object, found in one pass over its names.
struct PostbackFieldIndex {
    private let scannedFields: [ScannedJSONField]
    /// For each field, its index in `scannedFields` plus 1; 0 for an absent field.
    private var numbers = InlineArray<32, UInt8>(repeating: 0)

    init(_ object: JSONObject) {
        scannedFields = object.scannedFields
        let names = PostbackFieldNames.all
        for index in scannedFields.indices {
            if let field = object.source.withUTF8(of: scannedFields[index].name, names.field(named:)) {
                // An object has at most 128 fields.
                numbers[field.number] = UInt8(index + 1)
            }
        }
    }

    /// The value of a field, or nil if the field is absent.
    subscript(field: PostbackField) -> ScannedJSONValue? {
        let number = Int(numbers.span[field.number])
        return number == 0 ? nil : scannedFields[number - 1].value
    }
}

extension PostbackField {
    /// A number below 32 for each field; a switch, because a lookup would take longer than reading most fields.
    fileprivate var number: Int {
        switch self {
        case .version: 0
        case .adNetworkID: 1
        case .campaignID: 2
        case .sourceIdentifier: 3
        case .appID: 4
        case .transactionID: 5
        case .redownload: 6
        case .sourceAppID: 7
        case .sourceDomain: 8
        case .fidelityType: 9
        case .didWin: 10
        case .sequenceIndex: 11
        case .conversionValue: 12
        case .coarseConversionValue: 13
        case .countryCode: 14
        case .attributionSignature: 15
        case .jwsString: 16
        case .adInteractionType: 17
        case .postbackIdentifier: 18
        case .adNetworkIdentifier: 19
        case .advertisedItemIdentifier: 20
        case .publisherItemIdentifier: 21
        case .conversionType: 22
        case .impressionType: 23
        case .marketplaceIdentifier: 24
        }
    }
}
