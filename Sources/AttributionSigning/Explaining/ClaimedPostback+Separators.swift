import Attribution
import StrictJSON

extension ClaimedPostback {
    /// The text that the values give when U+2063 in them is not refused, with the field that has it.
    ///
    /// If a key verifies it, another postback's values were joined to read as this one.
    var textWithSeparators: (bytes: [UInt8], signature: [UInt8], field: String)? {
        guard let version, case .string(let text) = fields[.attributionSignature],
            let signature = Base64.decode(text)
        else {
            return nil
        }
        var offender: String?
        var values: [[UInt8]] = []
        for field in PostbackField.signed(in: version) {
            switch fields[field] {
            case .string(let text):
                if offender == nil, text.unicodeScalars.contains(SignedTextSeparator.scalar) {
                    offender = field.rawValue
                }
                values.append(Array(text.utf8))
            case .integer(let number): values.append(Array(String(number).utf8))
            case .bool(let flag): values.append(Array((flag ? "true" : "false").utf8))
            default: break
            }
        }
        return offender.map { (Array(values.joined(separator: SignedTextSeparator.utf8)), signature, $0) }
    }
}
