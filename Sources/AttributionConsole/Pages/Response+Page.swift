import AttributionPages
import CodedErrors
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// What a page may load and do: its own style and images, and forms of this console.
    static let contentSecurityPolicy =
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'"

    /// A page.
    static func page(_ status: HTTPResponse.Status, _ document: String) -> Response {
        var response = text(status, "text/html; charset=utf-8", document)
        response.headers[.contentSecurityPolicy] = contentSecurityPolicy
        response.headers[.xContentTypeOptions] = "nosniff"
        for (name, value) in [
            // With less, browsers would send `Origin: null` with our own forms.
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) {
                response.headers[name] = value
            }
        }
        return response
    }

    /// A page that says why another cannot be shown.
    static func problemPage(
        _ error: any CodedError, _ title: String, link: PageLink? = nil, in surroundings: PageSurroundings
    ) -> Response {
        var response = page(
            HTTPResponse.Status(code: error.code.httpStatus),
            PageProblem(error).page(title, link: link).document(in: surroundings))
        if let seconds = error.retryAfterSeconds {
            response.headers[.retryAfter] = String(seconds)
        }
        return response
    }

    /// A table as a file.
    static func file(_ csv: String, name: String) -> Response {
        var response = text(.ok, "text/csv; charset=utf-8", csv)
        response.headers[.contentDisposition] = "attachment; filename=\"skan-\(name).csv\""
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    /// Sends the browser to another page, which it asks for with GET.
    static func seeOther(_ location: String) -> Response {
        Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
    }
}

extension PageProblem {
    /// What a person is told of an error.
    init(_ error: any CodedError) {
        self.init(code: error.code.rawValue, message: error.message, hint: error.hint)
    }
}
