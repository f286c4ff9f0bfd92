import Attribution
import AttributionListener
import FoundationEssentials
import Logging
import StrictJSON

/// Logging in and out.
extension PageRoutes {
    func loginPage(_ request: IngressRequest) -> IngressAnswer {
        guard access != nil else {
            return .seeOther("/")
        }
        let next = FormFields(request.query)[PageForm.nextField] ?? "/"
        return loginPage(next: Self.checked(next))
    }

    private func loginPage(next: String, refusal: AccessRefusal? = nil) -> IngressAnswer {
        let page = LoginPage(next: next, problem: refusal.map { PageProblem($0) })
        var answer = IngressAnswer.page(
            refusal?.code.httpStatus ?? 200,
            page.page(formToken: sessions.commonFormToken).document(in: stranger))
        answer.retryAfter = refusal?.retryAfter
        return answer
    }

    /// What a page shows to someone without a session.
    private var stranger: PageSurroundings {
        PageSurroundings(holder: nil, formToken: nil, reports: [], version: sources.version)
    }

    func logIn(_ request: IngressRequest) -> IngressAnswer {
        guard let access else {
            return .seeOther("/")
        }
        do {
            let form = try FormPost(request, formToken: sessions.commonFormToken)
            try form.fields.fields.check(known: [PageForm.accessTokenField, PageForm.nextField], repeatable: [])
            let next = Self.checked(form.fields[PageForm.nextField] ?? "/")
            let text = form.fields[PageForm.accessTokenField]?.filter { !$0.isWhitespace } ?? ""
            // What cannot be a token counts as an attempt, too.
            let presented = AccessToken(text)?.text ?? AccessToken.prefix
            let (caller, refusal) = access.judge(
                .scope(.report), authorization: ["Bearer " + presented], client: { request.client }, now: Date(),
                instant: .now)
            guard refusal == nil, let caller else {
                logger.info(
                    "login refused",
                    metadata: [
                        "reason": "\(refusal?.code.rawValue ?? "none")", "token": "\(caller?.name ?? "none")",
                    ])
                return loginPage(next: next, refusal: refusal ?? .unknown)
            }
            logger.notice("logged in", metadata: ["token": "\(caller.name)", "token-id": "\(caller.id)"])
            var answer = IngressAnswer.seeOther(next)
            answer.set("Set-Cookie", sessions.begin(caller, at: .now))
            return answer
        } catch {
            return .problemPage(
                failures.refusal(for: error), "Not logged in", link: PageLink("login"), in: stranger)
        }
    }

    func logOut(_ request: IngressRequest) -> IngressAnswer {
        guard let session = sessions.session(of: request, at: .now) else {
            return .seeOther("/login")
        }
        do {
            _ = try FormPost(request, formToken: session.formToken)
        } catch {
            return .problemPage(failures.refusal(for: error), "Not logged out", in: stranger)
        }
        logger.notice("logged out", metadata: ["token": "\(session.grant.name)", "token-id": "\(session.grant.id)"])
        var answer = IngressAnswer.seeOther("/login")
        answer.set("Set-Cookie", sessions.end(of: request))
        return answer
    }

    /// The address of a page of this console; the first page for any other address.
    static func checked(_ next: String) -> String {
        let isOurs =
            next.hasPrefix("/") && !next.hasPrefix("//") && next.utf8.count <= 4_096
            && next.utf8.allSatisfy { (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") }
        return isOurs ? next : "/"
    }
}

extension IngressAnswer {
    /// Sends someone without a session to the login, and from there to where they wanted to go.
    static func login(next: String) -> IngressAnswer {
        let login = PageLink("login")
        return .seeOther((next == "/" ? login : login.adding(PageForm.nextField, next)).text)
    }
}
