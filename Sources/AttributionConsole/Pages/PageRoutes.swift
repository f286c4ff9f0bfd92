package import AttributionAccess
import AttributionPages
import AttributionReports
import AttributionStore
import CodedErrors
import HTTPTypes
import Hummingbird
package import Logging

/// The pages of the console, for people.
package struct PageRoutes: ConsoleRoutes {
    let sources: PageSources
    let access: AccessControl?
    let sessions: ConsoleSessions
    let queue: ReportQueue
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
        queue: ReportQueue = ReportQueue(),
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
            counting(.overviewPage, "The overview cannot be shown", overview),
            counting(.reportPage, "The report cannot be shown", standardReport),
            counting(.explorePage, "The report cannot be shown", explore),
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
            ConsoleEndpoint(.loginForm) { request, context in await logIn(request, context) },
            ConsoleEndpoint(.logoutForm) { request, context in await logOut(request, context) },
            ConsoleEndpoint(.pageAsset) { _, context in Self.asset(context.parameters.get("name") ?? "") },
        ]
    }

    /// The endpoint of a page that counts a report, which ends when the client goes away.
    private func counting(
        _ route: ConsoleRoute,
        _ failure: String,
        _ work: @escaping @Sendable (Request, ConsoleContext) async throws -> PageAnswer
    ) -> ConsoleEndpoint {
        ConsoleEndpoint(route) { request, context in
            var response = await answer(context, failure) {
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await work(request, context)
                }
            }
            // Watching for a disconnect consumes further input, so there can be no next request.
            response.headers[.connection] = "close"
            return response
        }
    }

    // MARK: Answering

    /// A page, or the page that says why there is none.
    func answer(
        _ context: ConsoleContext,
        _ failure: String,
        _ work: () async throws -> PageAnswer
    ) async -> Response {
        do {
            switch try await work() {
            case .page(let page): return .page(.ok, page.document(in: surroundings(context)))
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

    private static func asset(_ name: String) -> Response {
        guard let asset = PageAsset.all.first(where: { $0.name == name }) else {
            return .refusing(Refusal(.notFound, "there is no file of this name", hint: "load the page again"))
        }
        var response = Response.text(.ok, asset.mediaType, asset.content)
        response.headers[.cacheControl] = "public, max-age=31536000, immutable"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }
}
