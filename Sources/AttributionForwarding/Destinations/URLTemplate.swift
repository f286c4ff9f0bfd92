import Attribution
package import AttributionListener
import StrictJSON

/// A host with its port.
package struct ServerName: Hashable, Sendable, CustomStringConvertible {
    /// A name in lower case, or an address without brackets.
    package let host: String
    package let port: Int
    /// The address that the host is, if it is one; `localhost` is as well.
    package let address: InternetAddress?
    /// Whether it is written as an address.
    let isAddress: Bool
    /// Whether the host is an IPv4 address that is written as an IPv6 one, `::ffff:a.b.c.d`.
    let isMapped: Bool

    /// Reads `host` or `host:port`; an IPv6 address is in brackets.
    ///
    /// A host that is not plainly an address must not be taken for one by whatever looks it up: `2130706433`, `0x7f.1`
    /// and `127.1` are refused.
    init?(_ text: Substring, standardPort: Int?) {
        var (host, rest) = (text, text[text.endIndex...])
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard host.contains(":") else { return nil }
        } else if let colon = text.firstIndex(of: ":") {
            (host, rest) = (text[..<colon], text[colon...])
        }
        if rest.isEmpty, let standardPort {
            port = standardPort
        } else {
            let digits = rest.dropFirst()
            guard rest.first == ":", (1...5).contains(digits.utf8.count),
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(digits),
                (1...65_535).contains(given)
            else {
                return nil
            }
            port = given
        }
        self.host = String(host).lowercasedASCII
        let given = InternetAddress(host)
        guard given != nil || Self.isName(self.host) else { return nil }
        let isLocal = self.host == "localhost" || self.host.hasSuffix(".localhost")
        isAddress = given != nil
        address = given ?? (isLocal ? InternetAddress("127.0.0.1") : nil)
        isMapped = host.contains(":") && given?.isV4 == true
    }

    private static func isName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isOfLabels = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                        UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
        return isOfLabels && text.utf8.count <= 253 && labels.last?.utf8.first.map { $0 >= UInt8(ascii: "a") } ?? false
    }

    /// As it is written in a URL.
    package var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

/// The URL of a destination; its path and its query, and nothing else, may have `{values}`, which are percent-encoded.
package struct URLTemplate: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case text(String)
        case value(ValueSource)
        case secret
    }

    /// Whether it is HTTPS.
    package let isSecure: Bool
    package let server: ServerName
    private let path: [Part]
    private let query: [Part]

    /// Reads a URL such as `https://partner.example/postbacks/{app-id}?token={secret}`.
    ///
    /// - Throws: A problem with the member `url`, which shows no more of it than is wrong.
    init(_ text: String, _ fields: DocumentFields) throws(DocumentProblem) {
        func wrong(_ found: String, _ expected: String, _ cure: String) -> DocumentProblem {
            fields.problem("url", found: found, expected: expected, cure: cure)
        }
        let example = "write one such as \"https://partner.example/postbacks\""
        let scheme = text.prefix { $0 != ":" }
        isSecure = scheme == "https"
        guard isSecure || scheme == "http", text.dropFirst(scheme.count).hasPrefix("://") else {
            throw wrong("a URL that begins otherwise", "a URL that begins with https://", example)
        }
        let rest = text.dropFirst(scheme.count + 3)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard let server = ServerName(authority, standardPort: isSecure ? 443 : 80) else {
            throw wrong(
                authority.contains("@")
                    ? "a user before the host" : "the host \"\(String(authority).shortened(to: 60))\"",
                "the name of a host, or its address, perhaps with a port", example)
        }
        self.server = server
        let target = rest.dropFirst(authority.count)
        let path = target.prefix { $0 != "?" }
        func parts(_ text: Substring) throws(DocumentProblem) -> [Part] {
            var parts: [Part] = []
            var rest = text[...]
            while let first = rest.first {
                guard first == "{" else {
                    let literal = rest.prefix { $0 != "{" }
                    if let character = Self.unfit(literal) {
                        throw wrong(
                            "the character \"\(character)\"", "characters of a URL (RFC 3986), without #",
                            "percent-encode it")
                    }
                    parts.append(.text(String(literal)))
                    rest = rest.dropFirst(literal.count)
                    continue
                }
                let name = rest.dropFirst().prefix { $0 != "}" }
                guard rest.dropFirst(name.count + 1).first == "}" else {
                    throw wrong("a { without its }", "a name in braces", "write } after the name")
                }
                rest = rest.dropFirst(name.count + 2)
                if name == "secret" {
                    parts.append(.secret)
                } else if let source = ValueSource(String(name)) {
                    parts.append(.value(source))
                } else {
                    throw wrong(
                        "{\(String(name).shortened(to: 60))}", "{secret}, or one of \(ValueSource.list)",
                        ValueSource.suggestion(for: String(name)))
                }
            }
            return parts
        }
        self.path = path.isEmpty ? [.text("/")] : try parts(path)
        query = try parts(target.dropFirst(path.count))
    }

    /// The first character that a URL does not have at that position.
    private static func unfit(_ text: Substring) -> Character? {
        let others = Set("-._~!$&'()*+,;=:@/?%")
        let characters = Array(text)
        return characters.indices.first { index in
            let character = characters[index]
            guard character == "%" else {
                return !(character.isASCII && (character.isLetter || character.isNumber) || others.contains(character))
            }
            return !(characters.dropFirst(index + 1).prefix(2).count { $0.isASCII && $0.isHexDigit } == 2)
        }.map { characters[$0] }
    }

    /// Whether it has `{secret}`.
    var namesSecret: Bool { (path + query).contains(.secret) }

    /// The path and the query of a request.
    ///
    /// - Throws: ``OutgoingProblem/lacks(_:)`` for a postback without a value of the path; a parameter may be empty.
    func target(secret: String?, _ value: (ValueSource) -> JSONValue?) throws(OutgoingProblem) -> String {
        var target = ""
        for (parts, mayBeEmpty) in [(path, false), (query, true)] {
            for part in parts {
                switch part {
                case .text(let text): target += text
                case .secret: target += (secret ?? "").percentEncoded
                case .value(let source):
                    let text = value(source)?.plainText ?? ""
                    // A segment of dots would lead to another path.
                    guard mayBeEmpty || !text.allSatisfy({ $0 == "." }) else {
                        throw .lacks(source.name)
                    }
                    target += text.percentEncoded
                }
            }
        }
        return target
    }
}

extension String {
    /// The text with everything but letters, digits and `-._~` percent-encoded.
    var percentEncoded: String {
        var bytes: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                bytes.append(utf8Of: digits.utf8.count == 1 ? "%0" + digits : "%" + digits)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text that was percent-encoded; nil for what is not.
    init?(percentEncoded text: Substring) {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), let decoded = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
