import Attribution
public import AttributionIngest
public import AttributionReports
import Hummingbird
public import Logging
import NIOCore
public import ServiceLifecycle

/// The private listener: health, and reports as the command line gives them.
public struct Console: Service {
    private let reporter: Reporter
    private let webAds: WebAdIssuer?
    private let host: String
    private let port: Int
    private let logger: Logger
    private let onListening: @Sendable (_ port: Int) async -> Void

    /// Makes a console.
    ///
    /// - Parameters:
    ///   - reporter: Answers the reports.
    ///   - webAds: Issues web ads; nil when the server has no signing keys.
    ///   - host: A loopback address: there is no access control yet.
    ///   - port: The port; 0 for a free one.
    ///   - logger: Takes what goes wrong.
    ///   - onListening: Called with the port as soon as connections are taken.
    public init(
        reporter: Reporter,
        webAds: WebAdIssuer? = nil,
        host: String,
        port: Int,
        logger: Logger,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.reporter = reporter
        self.webAds = webAds
        self.host = host
        self.port = port
        self.logger = logger
        self.onListening = onListening
    }

    /// Serves until a graceful shutdown.
    public func run() async throws {
        let application = Application(
            router: router(),
            configuration: .init(address: .hostname(host, port: port), serverName: "skan"),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? port) },
            logger: logger
        )
        try await application.run()
    }

    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/healthz") { _, _ in
            "ok\n"
        }
        router.get("/readyz") { _, _ in
            do {
                try await reporter.checkStore()
                return Self.response(.ok, "text/plain; charset=utf-8", "ready\n")
            } catch {
                logger.warning("not ready", metadata: ["error": "\(error)"])
                return Self.response(.serviceUnavailable, "text/plain; charset=utf-8", "the store does not answer\n")
            }
        }
        router.get("/v1/report") { request, _ in
            await report(request)
        }
        WebAdRoutes(issuer: webAds, logger: logger).add(to: router)
        return router
    }

    private func report(_ request: Request) async -> Response {
        let parameters = request.uri.queryParameters
        func text(_ name: String) -> String? {
            parameters[name[...]].map { String($0) }
        }
        do {
            let formatName = text("format") ?? ReportFormat.json.rawValue
            guard let format = ReportFormat(rawValue: formatName) else {
                throw FieldProblem(
                    field: "format", found: formatName.shortened(to: 20),
                    expected: ReportFormat.allCases.map(\.rawValue).joined(separator: ", "))
            }
            let question = try ReportRequest(
                by: text("by") ?? "network,app,campaign",
                filters: parameters.getAll("where").map { String($0) },
                from: text("from"),
                to: text("to"),
                timeZone: text("time-zone") ?? "UTC",
                provenance: text("provenance") ?? Provenance.apple.rawValue
            )
            let answer = try await reporter.report(question)
            return Self.response(.ok, format.mediaType, answer.rendered(as: format))
        } catch let problem as FieldProblem {
            let body = JSONText.object([
                "status": .string("refused"), "reason": .string("bad-parameter"),
                "detail": .string(problem.description),
            ])
            return Self.response(.badRequest, "application/json", body.line + "\n")
        } catch {
            logger.error("report failed", metadata: ["error": "\(error)"])
            let body = JSONText.object(["status": .string("failed"), "reason": .string("store-failed")])
            return Self.response(.internalServerError, "application/json", body.line + "\n")
        }
    }

    private static func response(_ status: HTTPResponse.Status, _ mediaType: String, _ body: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: body))
        )
    }
}

extension ReportFormat {
    /// The media type of the format, RFC 4180, 7763, 8259.
    fileprivate var mediaType: String {
        switch self {
        case .table: "text/plain; charset=utf-8"
        case .csv: "text/csv; charset=utf-8"
        case .json: "application/json"
        case .ndjson: "application/x-ndjson"
        case .markdown: "text/markdown; charset=utf-8"
        }
    }
}
