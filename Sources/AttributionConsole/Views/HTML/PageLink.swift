/// A link within the console: a path and a query, each part encoded once.
package struct PageLink: Hashable, Sendable {
    private let segments: [String]
    /// The parameters, in order; a name may occur several times.
    package private(set) var query: [Parameter]

    package struct Parameter: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(_ segments: String..., query: [Parameter] = []) {
        self.segments = segments
        self.query = query
    }

    package func adding(_ name: String, _ value: String) -> PageLink {
        var link = self
        link.query.append(Parameter(name, value))
        return link
    }

    func adding(_ parameters: [Parameter]) -> PageLink {
        var link = self
        link.query += parameters
        return link
    }

    /// The link with one value of a parameter, or without the parameter.
    package func setting(_ name: String, _ value: String?) -> PageLink {
        var link = self
        link.query.removeAll { $0.name == name }
        return value.map { link.adding(name, $0) } ?? link
    }

    /// The link as a path and a query, in ASCII.
    package var text: String {
        let path = "/" + segments.map { Self.encoded($0, keeping: "") }.joined(separator: "/")
        guard !query.isEmpty else {
            return path
        }
        return path + "?"
            + query.map { Self.encoded($0.name, keeping: "") + "=" + Self.encoded($0.value, keeping: "=!,:/") }
            .joined(separator: "&")
    }

    /// The text with every byte percent-encoded that is neither unreserved (RFC 3986, section 2.3) nor kept.
    private static func encoded(_ text: String, keeping kept: StaticString) -> String {
        let kept = "\(kept)".utf8
        var output: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                output.append(byte)
            case _ where kept.contains(byte):
                output.append(byte)
            default:
                output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
