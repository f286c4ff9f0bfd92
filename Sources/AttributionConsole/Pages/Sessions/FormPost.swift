import AttributionListener
import AttributionPages
import CodedErrors
import StrictJSON

/// A form that a page of this console sent, and no other site's.
///
/// Three things have to agree: where the browser says that the request comes from, a secret that only the page's own
/// forms have, and the cookie, which browsers do not send from other sites.
struct FormPost {
    /// The fields besides the secret.
    let fields: FormFields

    /// Reads a form.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - formToken: The secret that its form was given.
    /// - Throws: ``CodedErrors/Refusal`` for a request of another site, and for a form of another page.
    init(_ request: IngressRequest, formToken: String) throws(Refusal) {
        try Self.checkOrigin(of: request)
        var fields = FormFields(String(decoding: request.body, as: UTF8.self))
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
    static func checkOrigin(of request: IngressRequest) throws(Refusal) {
        if let site = request.fields["sec-fetch-site"] {
            guard site == "same-origin" else {
                throw foreign("Sec-Fetch-Site", site, expected: "same-origin")
            }
        } else if let origin = request.fields["origin"] {
            let host = request.fields["host"] ?? ""
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
