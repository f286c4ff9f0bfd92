import Foundation

/// A body as received, for a person to look at.
enum BodyText {
    /// Writes the bytes as they are, or, to a terminal, without what could steer it: strangers wrote them.
    static func write(_ body: [UInt8]) {
        Terminal.write(bytes: Terminal.isInteractive ? Array(printable(body).utf8) : body)
        Terminal.write("\n")
    }

    /// The text with every control character but newlines and tabs escaped, and what is no UTF-8 replaced.
    static func printable(_ body: [UInt8]) -> String {
        String(
            String.UnicodeScalarView(
                String(decoding: body, as: UTF8.self).unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
                    let isControl = scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
                    return isControl ? Array("\\u{\(String(scalar.value, radix: 16))}".unicodeScalars) : [scalar]
                }))
    }
}
