import StrictJSON

/// What Python's `str()` and `repr()` make of an object where `json.dumps()` was meant.
enum PythonText {
    static let condition = "it were written by Python's json.dumps(): true, false and null, and names in double quotes"
    static let finding = "it is not JSON but the text of a Python object: True, False or None, or single quotes"
    static let advice = "have whoever forwards it pass the bytes on as received, or write them with json.dumps()"

    private static let words: [String: String] = ["True": "true", "False": "false", "None": "null", "NaN": "null"]

    /// The JSON that was meant; nil for a text that has nothing of Python's.
    static func json(_ text: [UInt8]) -> [UInt8]? {
        guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), text.count <= 2 * JSONObject.maximumLength else {
            return nil
        }
        var json: [UInt8] = []
        var quote: UInt8?
        var word: [UInt8] = []
        var isPython = false
        var index = 0
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        while index < text.count {
            let byte = text[index]
            index += 1
            if let open = quote {
                if byte == open {
                    quote = nil
                    json.append(UInt8(ascii: "\""))
                } else if byte == UInt8(ascii: "\\"), index < text.count {
                    // JSON has no escape for a single quote.
                    json += text[index] == UInt8(ascii: "'") ? [text[index]] : [byte, text[index]]
                    index += 1
                } else {
                    json += byte == UInt8(ascii: "\"") ? Array("\\\"".utf8) : [byte]
                }
                continue
            }
            if isLetter(byte) {
                word.append(byte)
                if index < text.count, isLetter(text[index]) {
                    continue
                }
                let isPrefix = index < text.count && [UInt8(ascii: "'"), UInt8(ascii: "\"")].contains(text[index])
                let known = words[String(decoding: word, as: UTF8.self)]
                isPython = isPython || known != nil || isPrefix
                json += isPrefix ? [] : known.map { Array($0.utf8) } ?? word
                word = []
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                isPython = isPython || byte == UInt8(ascii: "'")
                quote = byte
                json.append(UInt8(ascii: "\""))
            } else {
                json.append(byte)
            }
        }
        return isPython ? json : nil
    }
}
