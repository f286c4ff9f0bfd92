import StrictJSON

/// The values of Apple's fields in a JSON object, found in one pass over its names.
struct PostbackFieldIndex {
    let scannedFields: [ScannedJSONField]
    /// For each field, its index in `scannedFields` plus 1; 0 for an absent field.
    private var numbers = InlineArray<32, UInt8>(repeating: 0)

    init(_ object: JSONObject) {
        scannedFields = object.scannedFields
        for index in scannedFields.indices {
            let name = object.source.withUTF8(of: scannedFields[index].name) { Name($0) }
            if let field = name.flatMap(Self.field) {
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

    /// A name of 1 to 32 bytes, padded with zeros.
    private struct Name: Equatable {
        private var bytes = SIMD4<UInt64>.zero
        private let length: Int
        /// Where to begin to search among the slots, by the length and both ends.
        let slot: Int

        init?(_ name: UnsafeBufferPointer<UInt8>) {
            guard (1...32).contains(name.count) else {
                return nil
            }
            length = name.count
            slot = (name.count &+ 4 &* Int(name[0]) &+ 8 &* Int(name[name.count - 1])) & 127
            withUnsafeMutableBytes(of: &bytes) { $0.copyMemory(from: UnsafeRawBufferPointer(name)) }
        }
    }

    /// Apple's names, open-addressed: every name of every postback is looked up, and a `Dictionary` hashes for longer
    /// than the whole text takes to scan.
    private static let slots: [(name: Name, field: PostbackField)?] = {
        var slots: [(name: Name, field: PostbackField)?] = Array(repeating: nil, count: 128)
        for field in PostbackField.allCases {
            var text = field.rawValue
            guard let name = text.withUTF8({ Name($0) }) else {
                continue
            }
            var slot = name.slot
            while slots[slot] != nil {
                slot = (slot + 1) & 127
            }
            slots[slot] = (name, field)
        }
        return slots
    }()

    private static func field(_ name: Name) -> PostbackField? {
        var slot = name.slot
        while let entry = slots[slot] {
            if entry.name == name {
                return entry.field
            }
            slot = (slot + 1) & 127
        }
        return nil
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
