import Foundation

/// Base64 as JWS has it: two other letters, no padding.
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { letter -> Character? in
                switch letter {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: letter
                }
            })
    }

    /// nil for what is no base64url.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let letters = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - letters.count % 4) % 4)
        return Data(base64Encoded: String(letters) + padding).map { Array($0) }
    }
}
