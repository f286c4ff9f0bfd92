import Attribution
import AttributionListener
import AttributionReports
import AttributionStore
package import Logging

/// The pages of the console, for people.
package struct PageRoutes: ConsoleRoutes {
    let sources: PageSources
    let access: AccessControl?
    let sessions: ConsoleSessions
    let queue: JobQueue
    let logger: Logger
    let failures: RouteFailures

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - sources: What pages are made from.
    ///   - access: Decides who may log in; nil where no one has to.
    ///   - sessions: The sessions, which the console has to be given too.
    ///   - queue: Where reports wait for each other, those of the API included.
    ///   - logger: Takes every change, who logs in, and what goes wrong.
    package init(
        _ sources: PageSources,
        access: AccessControl?,
        sessions: ConsoleSessions,
        queue: JobQueue = JobQueue(),
        logger: Logger
    ) {
        self.sources = sources
        self.access = access
        self.sessions = sessions
        self.queue = queue
        self.logger = logger
        failures = RouteFailures("page not made", unexpected: .storeFailed, logger: logger)
    }

    /// Every page, the forms they send, and the files they load.
    package var endpoints: [ConsoleEndpoint] {
        [
            ConsoleEndpoint(.overviewPage) { request, context in
                await answer(context, "The overview cannot be shown") { try await overview(request, context) }
            },
            ConsoleEndpoint(.reportPage) { request, context in
                await answer(context, "The report cannot be shown") { try await standardReport(request, context) }
            },
            ConsoleEndpoint(.explorePage) { request, context in
                await answer(context, "The report cannot be shown") { try await explore(request, context) }
            },
            ConsoleEndpoint(.quarantinePage) { request, context in
                await answer(context, "The quarantine cannot be shown") { try await quarantine(request, context) }
            },
            ConsoleEndpoint(.requeuePage) { request, context in
                await answer(context, "Deliveries cannot be judged again") { try requeueQuestion(request, context) }
            },
            ConsoleEndpoint(.requeueForm) { request, context in
                await answer(context, "Deliveries were not judged again") { try await requeue(request, context) }
            },
            ConsoleEndpoint(.postbackPage) { request, context in
                await answer(context, "The postback cannot be shown") { try await postback(request) }
            },
            ConsoleEndpoint(.conflictsPage) { request, context in
                await answer(context, "Conflicts cannot be shown") { try await conflicts(request) }
            },
            ConsoleEndpoint(.keysPage) { request, context in
                await answer(context, "Keys cannot be shown") { try keys(request) }
            },
            ConsoleEndpoint(.definitionsPage) { request, context in
                await answer(context, "Definitions cannot be shown") { try definitions(request) }
            },
            ConsoleEndpoint(.loginPage) { request, _ in loginPage(request) },
            ConsoleEndpoint(.loginForm) { request, _ in logIn(request) },
            ConsoleEndpoint(.logoutForm) { request, _ in logOut(request) },
            ConsoleEndpoint(.pageAsset) { request, _ in Self.asset(request.name) },
        ]
    }

    // MARK: Answering

    /// A page, or the page that says why there is none.
    func answer(
        _ context: ConsoleContext,
        _ failure: String,
        _ work: () async throws -> PageAnswer
    ) async -> IngressAnswer {
        do {
            let answer = try await work()
            // A page of which parts are missing only because the client is gone is none.
            try Task.checkCancellation()
            switch answer {
            case .page(let page): return .page(200, page.document(in: surroundings(context)))
            case .file(let csv, let name): return .file(csv, name: name)
            case .seeOther(let link): return .seeOther(link.text)
            }
        } catch {
            return .problemPage(failures.refusal(for: error), failure, in: surroundings(context))
        }
    }

    /// A part of a page, or why it is missing: the rest is shown all the same.
    func part<Value>(_ work: () async throws -> Value) async -> Result<Value, PageProblem> {
        do {
            return .success(try await work())
        } catch {
            return .failure(PageProblem(failures.refusal(for: error)))
        }
    }

    func surroundings(_ context: ConsoleContext) -> PageSurroundings {
        PageSurroundings(
            holder: context.session?.grant.name, formToken: formToken(context),
            reports: StandardReportName.allCases.filter { $0 != .overview }.map(\.rawValue), version: sources.version,
            isLimited: context.isLimited)
    }

    /// What a form of this request's pages has to carry; nil for a program with a token, which uses the API.
    func formToken(_ context: ConsoleContext) -> String? {
        context.session?.formToken ?? (access == nil ? sessions.commonFormToken : nil)
    }

    private static func asset(_ name: String) -> IngressAnswer {
        guard let asset = PageAsset.all.first(where: { $0.name == name }) else {
            return .refusing(Refusal(.notFound, "there is no file of this name", hint: "load the page again"))
        }
        var answer = IngressAnswer.text(asset.mediaType, asset.content)
        answer.set("Cache-Control", "public, max-age=31536000, immutable")
        answer.set("X-Content-Type-Options", "nosniff")
        return answer
    }
}
