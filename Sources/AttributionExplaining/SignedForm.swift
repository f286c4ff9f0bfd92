import Platform
import StrictJSON

/// What a signer signs instead of the values joined by U+2063.
struct SignedForm {
    let cause: ExplanationCause
    /// What was found, as a sentence.
    let finding: String
    /// The bytes that are signed.
    let bytes: @Sendable (ImpressionText) -> [UInt8]

    private init(_ cause: ExplanationCause, _ finding: String, _ bytes: @escaping @Sendable (ImpressionText) -> [UInt8])
    {
        self.cause = cause
        self.finding = finding
        self.bytes = bytes
    }

    /// The same values, signed in this form.
    func repair(of text: ImpressionText) -> ImpressionRepair {
        ImpressionRepair(cause, nil, .signed, finding, text, bytes: bytes(text))
    }

    /// Every form that is tried.
    static let all = separators + ends + encodings

    /// Those that are tried together with another mistake.
    static let common = separators.prefix(commonSeparators) + ends.prefix(2)

    // MARK: Separators

    private static let commonSeparators = 7

    private static let separators = [
        ("nothing", ""), ("|", "|"), ("an ASCII question mark", "?"), ("a comma", ","), ("a space", " "),
        ("the six characters \\u2063", "\\u2063"), ("a line break", "\n"), ("the characters \\u{2063}", "\\u{2063}"),
        ("the characters \\\\u2063", "\\\\u2063"), ("the characters 2063", "2063"), ("the characters U+2063", "U+2063"),
        ("the characters 0x2063", "0x2063"), ("the entity &#8291;", "&#8291;"), ("the entity &#x2063;", "&#x2063;"),
        ("the entity &ic;", "&ic;"), ("the entity &InvisibleComma;", "&InvisibleComma;"),
        ("the characters %E2%81%A3", "%E2%81%A3"), ("the characters %e2%81%a3", "%e2%81%a3"),
        ("the characters \\xE2\\x81\\xA3", "\\xE2\\x81\\xA3"), ("the characters \\xe2\\x81\\xa3", "\\xe2\\x81\\xa3"),
        ("U+2063 in UTF-8 twice", "\u{E2}\u{81}\u{A3}"), ("U+2063 read as Windows-1252", "\u{E2}\u{A3}"),
        ("U+2063 read as Windows-1252", "\u{E2}?\u{A3}"), ("U+2063 read as Windows-1252", "\u{E2}\u{FFFD}\u{A3}"),
        ("the replacement character U+FFFD", "\u{FFFD}"), ("three replacement characters", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("three question marks", "???"), ("U+200B", "\u{200B}"), ("U+200C", "\u{200C}"), ("U+200D", "\u{200D}"),
        ("U+2060", "\u{2060}"), ("U+2061", "\u{2061}"), ("U+2062", "\u{2062}"), ("U+2064", "\u{2064}"),
        ("U+FEFF", "\u{FEFF}"), ("U+00A0", "\u{A0}"), ("a NUL", "\0"), ("CRLF", "\r\n"), ("a tab", "\t"), ("-", "-"),
        ("_", "_"), (";", ";"), (":", ":"), (".", "."), ("/", "/"), ("&", "&"), ("+", "+"), ("#", "#"), ("~", "~"),
        ("a comma and a space", ", "), ("| between spaces", " | "), ("U+2063 twice", "\u{2063}\u{2063}"),
        ("U+2063 between spaces", " \u{2063} "), ("U+2063 and a space", "\u{2063} "),
    ].map { name, separator in
        SignedForm(.separatorInValue, "the values were joined by \(name) instead of U+2063") { text in
            text.bytes(separator: Array(separator.utf8))
        }
    }

    // MARK: Ends

    private static let ends = [
        ("a line break was signed after the last value, as echo adds it", "", "\n"),
        ("CRLF was signed after the last value", "", "\r\n"), ("a space was signed after the last value", "", " "),
        ("a NUL was signed after the last value", "", "\0"),
        ("a byte order mark was signed before the first value", "\u{FEFF}", ""),
        ("U+2063 was put after the last value, too", "", "\u{2063}"),
        ("U+2063 was put before the first value, too", "\u{2063}", ""),
        ("U+2063 was put around the values, too", "\u{2063}", "\u{2063}"),
        ("the text was signed in quotes", "\"", "\""), ("the text was signed in quotes", "'", "'"),
    ].map { finding, prefix, suffix in
        SignedForm(prefix + suffix == "\"\"" || prefix == "'" ? .valueChanged : .separatorInValue, finding) { text in
            Array(prefix.utf8) + text.bytes() + Array(suffix.utf8)
        }
    }

    // MARK: Encodings

    private static let encodings = [
        SignedForm(
            .signatureEncoding, "the text was hashed twice: the signature is over the SHA-256 of its SHA-256"
        ) { digest($0).bytes },
        SignedForm(.signatureEncoding, "the SHA-256 of the text was signed in hexadecimal, as text") { text in
            Array(digest(text).hexadecimal.utf8)
        },
        SignedForm(.signatureEncoding, "the SHA-256 of the text was signed in hexadecimal capitals, as text") { text in
            Array(digest(text).hexadecimal.uppercased().utf8)
        },
        SignedForm(.signatureEncoding, "the SHA-256 of the text was signed in base64, as text") { text in
            Array(Base64.encode(digest(text).bytes).utf8)
        },
        SignedForm(.valueChanged, "the text was signed in base64") { Array(Base64.encode($0.bytes()).utf8) },
        SignedForm(.valueChanged, "the text was signed in hexadecimal") { text in
            text.bytes().flatMap { [hexDigits[Int($0 >> 4)], hexDigits[Int($0 & 15)]] }
        },
        SignedForm(.valueChanged, "the text was signed in UTF-16, little end first") { text in
            utf16(text).flatMap { [$0[1], $0[0]] }
        },
        SignedForm(.valueChanged, "the text was signed in UTF-16, big end first") { utf16($0).flatMap { $0 } },
        SignedForm(.valueChanged, "the text was signed in UTF-16 behind a byte order mark") { text in
            [0xFE, 0xFF] + utf16(text).flatMap { $0 }
        },
    ]

    private static let hexDigits = Array("0123456789abcdef".utf8)

    private static func digest(_ text: ImpressionText) -> SHA256Digest {
        SHA256.digest(of: text.bytes())
    }

    private static func utf16(_ text: ImpressionText) -> [[UInt8]] {
        String(decoding: text.bytes(), as: UTF8.self).utf16.map { unit in
            [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        }
    }
}
