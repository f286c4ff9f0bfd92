import AttributionPages
import CodedErrors
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import StrictJSON

/// A form that a page of this console sent, and no other site's.
///
/// Three things have to agree: where the browser says that the request comes from, a secret that only the page's own
/// forms have, and the cookie, which browsers do not send from other sites.
struct FormPost {
    /// The fields besides the secret.
    let fields: FormFields

    private static let mediaType = "application/x-www-form-urlencoded"
    /// The most bytes of a form.
    private static let limit = 64 << 10
    private static let fetchSite = HTTPField.Name("sec-fetch-site")

    /// Reads a form.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - formToken: The secret that its form was given.
    /// - Throws: ``CodedErrors/Refusal`` for a request of another site, and for what is not a form.
    init(_ request: Request, formToken: String) async throws {
        try Self.checkOrigin(of: request)
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type == Self.mediaType else {
            throw Refusal(
                .unsupportedMediaType,
                "Content-Type: found \(type?.shortened(to: 60) ?? "nothing"), expected \(Self.mediaType)",
                hint: "send the page's own form")
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: Self.limit)
        } catch is NIOTooManyBytesError {
            throw Refusal(.bodyTooLarge, "the form is larger than \(Self.limit) bytes")
        } catch HTTPParserError.invalidEOFState {
            throw Refusal(.incompleteRequest, "the client closed the connection before the request was complete")
        }
        var fields = FormFields(String(decoding: body.readableBytesView, as: UTF8.self))
        guard Self.isEqual(fields[PageForm.tokenField] ?? "", formToken) else {
            throw Refusal(
                .badField,
                "\(PageForm.tokenField): found \(fields[PageForm.tokenField] == nil ? "nothing" : "another one"), "
                    + "expected the one of a page of this session",
                hint: "open the page again and send its form")
        }
        fields.remove(PageForm.tokenField)
        self.fields = fields
    }

    /// Refuses a request that a browser made for another site.
    ///
    /// Sec-Fetch-Site is believed first, because it stays true behind a proxy that changes Host; older browsers, and
    /// those that reach the console without TLS off loopback, send Origin alone.
    static func checkOrigin(of request: Request) throws(Refusal) {
        if let site = fetchSite.flatMap({ request.headers[$0] }) {
            guard site == "same-origin" else {
                throw foreign("Sec-Fetch-Site", site, expected: "same-origin")
            }
        } else if let origin = request.headers[.origin] {
            let host = request.head.authority ?? ""
            guard !host.isEmpty, origin == "http://" + host || origin == "https://" + host else {
                throw foreign("Origin", origin, expected: "this console's own, of \(host.shortened(to: 60))")
            }
        }
    }

    private static func foreign(_ field: String, _ value: String, expected: String) -> Refusal {
        Refusal(
            .foreignHost, "\(field): found \(value.shortened(to: 60)), expected \(expected)",
            hint: "send the form from a page of this console")
    }

    /// Compares two secrets in a time that does not depend on where they differ.
    static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else {
            return false
        }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
