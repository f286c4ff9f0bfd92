import StrictJSON

/// Where Apple's fields stand in a JSON object, found in one pass over its names.
struct PostbackFieldPlaces {
    private let places: [JSONFieldPlace]
    /// The number of each field's place, counted from 1; 0 for a field that is absent.
    private var numbers = InlineArray<32, UInt8>(repeating: 0)

    init(_ object: JSONObject) {
        places = object.places
        let names = PostbackFieldNames.all
        for index in places.indices {
            if let field = object.source.withUTF8(of: places[index].name, names.field(named:)) {
                // An object has no more than 128 fields.
                numbers[field.number] = UInt8(index + 1)
            }
        }
    }

    /// Where the value of a field stands, nil for a field that is absent.
    subscript(field: PostbackField) -> JSONValuePlace? {
        let number = Int(numbers.span[field.number])
        return number == 0 ? nil : places[number - 1].value
    }
}

extension PostbackField {
    /// A number for each field, below 32; a switch, since looking it up would take longer than reading most fields.
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
