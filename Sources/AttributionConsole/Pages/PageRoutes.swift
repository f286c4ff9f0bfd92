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
            page(.overviewPage, "The overview cannot be shown", overview),
            page(.campaignPage, "The campaign cannot be shown", campaign),
            page(.reportPage, "The report cannot be shown", standardReport),
            page(.explorePage, "The report cannot be shown", explore),
            page(.quarantinePage, "The quarantine cannot be shown", quarantine),
            page(.requeuePage, "Deliveries cannot be judged again", requeueQuestion),
            page(.requeueForm, "Deliveries were not judged again", requeue),
            page(.postbackPage, "The postback cannot be shown") { request, _ in try await postback(request) },
            page(.conflictsPage, "Conflicts cannot be shown") { request, _ in try await conflicts(request) },
            page(.destinationsPage, "Destinations cannot be shown") { request, _ in
                try await destinations(request)
            },
            page(.keysPage, "Keys cannot be shown") { request, _ in try keys(request) },
            page(.definitionsPage, "Definitions cannot be shown") { request, _ in try definitions(request) },
            ConsoleEndpoint(.loginPage) { request, _ in loginPage(request) },
            ConsoleEndpoint(.loginForm) { request, _ in logIn(request) },
            ConsoleEndpoint(.logoutForm) { request, _ in logOut(request) },
            ConsoleEndpoint(.pageAsset) { request, _ in Self.asset(request.name) },
        ]
    }

    // MARK: Answering

    /// A route that answers with a page, or with the page that says why there is none.
    private func page(
        _ route: ConsoleRoute,
        _ failure: String,
        _ work: @escaping @Sendable (IngressRequest, ConsoleContext) async throws -> PageAnswer
    ) -> ConsoleEndpoint {
        ConsoleEndpoint(route) { request, context in
            do {
                let answer = try await work(request, context)
                // A page of which parts are missing only because the client is gone is none.
                try Task.checkCancellation()
                switch answer {
                case .page(let page): return .page(200, page.document(in: surroundings(context)))
                case .file(let csv, let name): return .file(csv, name: name)
                case .seeOther(let link): return .seeOther(link.text)
                }
            } catch {
                return .problemPage(failures.refusal(for: error, in: context), failure, in: surroundings(context))
            }
        }
    }

    /// A part of a page, or why it is missing: the rest is shown all the same.
    func part<Value>(
        _ context: ConsoleContext, _ work: () async throws -> Value
    ) async -> Result<Value, PageProblem> {
        do {
            return .success(try await work())
        } catch {
            return .failure(PageProblem(failures.refusal(for: error, in: context)))
        }
    }

    func surroundings(_ context: ConsoleContext) -> PageSurroundings {
        PageSurroundings(
            holder: context.session?.grant.title, formToken: formToken(context),
            // Estimates are shown to those who ask for them by name.
            reports: StandardReportName.allCases.filter { name in
                name != .overview && name != .estimates && (!context.isLimited || name.countsPostbacks)
            }.map(\.rawValue), version: sources.version, isLimited: context.isLimited)
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
