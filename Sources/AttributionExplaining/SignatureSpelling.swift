import AttributionSigning
import StrictJSON

/// The signature that a text means, however it was encoded.
///
/// Only for explanations: the verifier accepts one encoding.
enum SignatureSpelling {
    /// The texts and bytes that a text may stand for, each with what was done to it.
    static func readings(of text: String) -> [(condition: String, bytes: [UInt8])] {
        let cleaned = cleaned(text)
        var readings: [(condition: String, bytes: [UInt8])] = []
        if let bytes = standard(cleaned) {
            readings.append(("in standard base64 with padding", bytes))
            if let text = String(validating: bytes, as: UTF8.self).map(Self.cleaned) {
                // Hexadecimal digits are base64, too.
                if let inner = hexadecimal(text) {
                    readings.append(("in base64 alone instead of base64 of hexadecimal", inner))
                }
                if let inner = standard(text) {
                    readings.append(("in base64 once instead of twice", inner))
                }
            }
        }
        if let bytes = hexadecimal(cleaned) {
            readings.append(("in base64 instead of hexadecimal", bytes))
        }
        return readings
    }

    /// The bytes of base64, as far as it goes where it ends in the middle of a group.
    static func beginning(of text: String) -> [UInt8]? {
        let digits = cleaned(text).filter { $0 != "=" }
        return standard(digits) ?? standard(String(digits.prefix(digits.count - digits.count % 4)))
    }

    /// The signature in the strict DER that is verified; nil if the bytes are no signature.
    static func der(_ bytes: [UInt8]) -> [UInt8]? {
        numbers(bytes).map { sequence([0x30], integer($0.r) + integer($0.s)) }
    }

    /// The signature as r‖s of a size each; nil if the bytes are no signature of that size.
    static func concatenated(_ bytes: [UInt8], size: Int) -> [UInt8]? {
        guard let (r, s) = numbers(bytes), r.count <= size, s.count <= size else {
            return nil
        }
        return [r, s].flatMap { Array(repeating: 0, count: size - $0.count) + $0 }
    }

    /// The text without white space around it, with what a form or a URL made of it undone.
    static func cleaned(_ text: String) -> String {
        var text = text.trimmed
        for (escape, character) in [("%2B", "+"), ("%2F", "/"), ("%3D", "="), ("%2b", "+"), ("%2f", "/"), ("%3d", "=")]
        where text.contains("%") {
            text = text.split(separator: escape, omittingEmptySubsequences: false).joined(separator: character)
        }
        // A form turns + into a space; line breaks are put in by encoders of mail.
        return String(text.filter { !$0.isNewline && $0 != "\t" }.map { $0 == " " ? "+" : $0 })
    }

    /// Decodes base64 of either alphabet with any padding.
    private static func standard(_ text: String) -> [UInt8]? {
        let digits = text.filter { $0 != "=" }.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return Base64.decode(String(digits) + String(repeating: "=", count: (4 - digits.count % 4) % 4))
    }

    /// Decodes hexadecimal digits; nil for anything else.
    static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map { UInt8($0) } }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2), !digits.isEmpty else {
            return nil
        }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The two numbers without leading zeros, of DER that need not be strict, or of r‖s.
    private static func numbers(_ bytes: [UInt8]) -> (r: [UInt8], s: [UInt8])? {
        if let (content, _) = element(0x30, in: bytes[...]), let (r, rest) = element(0x02, in: content),
            let (s, _) = element(0x02, in: rest)
        {
            return (Array(r.drop { $0 == 0 }), Array(s.drop { $0 == 0 }))
        }
        guard bytes.count == 48 || bytes.count == 64 else {
            return nil
        }
        let (r, s) = (bytes.prefix(bytes.count / 2), bytes.suffix(bytes.count / 2))
        return (Array(r.drop { $0 == 0 }), Array(s.drop { $0 == 0 }))
    }

    /// The content of the element that bytes begin with, and what follows it.
    private static func element(
        _ tag: UInt8, in bytes: ArraySlice<UInt8>
    ) -> (content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        var rest = bytes
        guard rest.popFirst() == tag, var count = rest.popFirst().map({ Int($0) }) else {
            return nil
        }
        if count == 0x81 {
            guard let long = rest.popFirst() else {
                return nil
            }
            count = Int(long)
        }
        guard count < 256, rest.count >= count else {
            return nil
        }
        return (rest.prefix(count), rest.dropFirst(count))
    }

    private static func integer(_ number: [UInt8]) -> [UInt8] {
        sequence([0x02], (number.first.map { $0 >= 0x80 } ?? true ? [0] : []) + number)
    }

    private static func sequence(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] {
        tag + (content.count < 128 ? [] : [0x81]) + [UInt8(truncatingIfNeeded: content.count)] + content
    }
}
