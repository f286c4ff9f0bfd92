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
                numbers[field.code] = UInt8(index + 1)
            }
        }
    }

    /// Where the value of a field stands, nil for a field that is absent.
    subscript(field: PostbackField) -> JSONValuePlace? {
        let number = Int(numbers.span[field.code])
        return number == 0 ? nil : places[number - 1].value
    }
}

extension PostbackField {
    /// The byte in memory, which is another one for each case; of so few cases it is below 32.
    fileprivate var code: Int {
        withUnsafeBytes(of: self) { Int($0[0]) }
    }
}
