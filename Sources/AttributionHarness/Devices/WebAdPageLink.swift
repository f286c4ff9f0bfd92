import Attribution
import Foundation
package import StrictJSON

/// The three attributes of a web ad's link, as a device finds them on a page.
package struct WebAdPageLink: Hashable, Sendable {
    /// The App Store id of the advertised app.
    package let itunesItemID: Int64
    /// The origin to request the payload from.
    package let attributionDestination: String
    /// The nonce as encoded in the link.
    package let attributionSourceNonce: String

    /// Reads the attributes from the JSON object that issuing the ad returned; other names are ignored.
    package init(json: [UInt8]) throws {
        let object = try JSONObject(reading: json)
        try self.init { name throws(FieldProblem) in
            guard case .string(let text) = object[name] else {
                throw FieldProblem(
                    field: name, found: object[name]?.summary ?? "nothing",
                    expected: "a string: the attribute of the link")
            }
            return text
        }
    }

    /// Takes the attributes.
    init(attribute text: (String) throws(FieldProblem) -> String) throws(FieldProblem) {
        let href = try text("href")
        // The last part of the path, as in https://apps.apple.com/us/app/name/id525463029?mt=8
        guard let part = URL(string: href)?.lastPathComponent, part.hasPrefix("id"), let id = Int64(part.dropFirst(2))
        else {
            throw FieldProblem(
                field: "href", found: "\"\(href.shortened(to: 80))\"",
                expected: "a page of the App Store, https://apps.apple.com/app/id…")
        }
        itunesItemID = id
        attributionDestination = try text("attributionDestination")
        attributionSourceNonce = try text("attributionSourceNonce")
    }
}

extension WebAdPageLink {
    /// Reads the attributes from the link as HTML, `<a href="…" attributionDestination="…" …>`.
    package init(html: String) throws(FieldProblem) {
        var attributes: [String: String] = [:]
        for match in html.prefix(while: { $0 != ">" }).matches(of: /([A-Za-z]+)="([^"]*)"/) {
            attributes[match.1.lowercased()] = Self.unescaped(match.2)
        }
        try self.init { name throws(FieldProblem) in
            guard let text = attributes[name.lowercased()] else {
                throw FieldProblem(field: name, found: "nothing", expected: "an attribute of the link: \(name)=\"…\"")
            }
            return text
        }
    }

    private static func unescaped(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(String(text)) {
            $0.replacing($1.0, with: $1.1)
        }
    }
}
