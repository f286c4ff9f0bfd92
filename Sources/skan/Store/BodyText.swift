import Foundation

/// Shows bodies as received.
enum BodyText {
    /// Writes the bytes unchanged, or, to a terminal, with control characters escaped, because they are untrusted.
    static func write(_ body: [UInt8]) {
        Terminal.write(bytes: Terminal.isInteractive ? Array(printable(body).utf8) : body)
        Terminal.write("\n")
    }

    /// The text with control characters except newlines and tabs escaped, and invalid UTF-8 replaced.
    static func printable(_ body: [UInt8]) -> String {
        String(
            String.UnicodeScalarView(
                String(decoding: body, as: UTF8.self).unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
                    let isControl = scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
                    return isControl ? Array("\\u{\(String(scalar.value, radix: 16))}".unicodeScalars) : [scalar]
                }))
    }
}
