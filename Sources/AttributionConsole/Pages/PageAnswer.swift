import Attribution
import AttributionListener
import StrictJSON

/// What a page's route answers.
enum PageAnswer {
    case page(Page)
    case file(csv: String, name: String)
    /// Another page, which the browser asks for.
    case seeOther(PageLink)

    /// A page, or one of its tables if the query wants that.
    init(_ page: Page, _ query: PageQuery) throws(FieldProblem) {
        guard query.isFile else {
            self = .page(page)
            return
        }
        let section = query.fields["section"]
        guard let table = page.tables.first(where: { $0.id == section }) else {
            throw FieldProblem(
                field: "section", found: section?.shortened(to: 40) ?? "nothing",
                expected: "one of " + page.tables.map(\.id).joined(separator: ", "))
        }
        self = .file(csv: table.csv, name: table.id)
    }
}

extension IngressAnswer {
    /// What a page may load and do: its own style and images, and forms of this console.
    static let contentSecurityPolicy =
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'"

    static func page(_ status: Int, _ document: String) -> IngressAnswer {
        var answer = text("text/html; charset=utf-8", document, status: status)
        answer.set("Content-Security-Policy", contentSecurityPolicy)
        answer.set("X-Content-Type-Options", "nosniff")
        // With less, browsers would send `Origin: null` with our own forms.
        answer.set("Referrer-Policy", "same-origin")
        answer.set("Cross-Origin-Opener-Policy", "same-origin")
        answer.set("Cross-Origin-Resource-Policy", "same-origin")
        return answer
    }

    /// A page that says why another cannot be shown.
    static func problemPage(
        _ error: any CodedError, _ title: String, link: PageLink? = nil, in surroundings: PageSurroundings
    ) -> IngressAnswer {
        var answer = page(
            error.code.httpStatus, PageProblem(error).page(title, link: link).document(in: surroundings))
        answer.retryAfter = error.retryAfter
        return answer
    }

    /// What a browser shows in place of an answer in JSON; who is logged in is not known where requests are refused.
    static func refusalPage(_ error: any CodedError, instead answer: IngressAnswer) -> IngressAnswer {
        let surroundings = PageSurroundings(holder: nil, formToken: nil, reports: [], version: "", isLimited: true)
        let title = error.code == .notFound ? "Not found" : "The request was refused"
        var page = problemPage(error, title, in: surroundings)
        for (name, value) in answer.fields where name == "WWW-Authenticate" {
            page.set(name, value)
        }
        return page
    }

    static func file(_ csv: String, name: String) -> IngressAnswer {
        var answer = text("text/csv; charset=utf-8", csv)
        answer.set("Content-Disposition", "attachment; filename=\"skan-\(name).csv\"")
        answer.set("X-Content-Type-Options", "nosniff")
        return answer
    }

    /// Sends the browser to another page, which it asks for with GET.
    static func seeOther(_ location: String) -> IngressAnswer {
        var answer = IngressAnswer(status: 303, body: [], mediaType: nil)
        answer.set("Location", location)
        answer.set("Cache-Control", "no-store")
        return answer
    }
}
