import Attribution
import AttributionConsole
import AttributionExplaining
import AttributionIngest
import AttributionListener
import AttributionReports
import AttributionServer
import AttributionSigning
import AttributionStore
import Foundation
import StrictJSON
import Testing
import Yams

@Suite("The description of the interfaces says what the code does")
struct APIDocumentTests {
    let document: APIDocument
    let operations: [APIDocument.Operation]

    init() throws {
        document = try APIDocument()
        operations = try document.operations()
    }

    @Test("It has every route of all listeners with its method and scope, except pages, and no other")
    func routes() {
        let described = operations.map { "\($0.tags.joined()) \($0.method) \($0.path) \($0.scope ?? "-")" }
        let served =
            PublicRoute.allCases.map { "public POST \($0.path) -" }
            + SigningRoute.allCases.map { "signing POST \($0.path) sign" }
            + ConsoleRoute.allCases.filter { !$0.isPage }.map(\.definition).map { definition in
                let scope = if case .scope(let scope) = definition.access { scope.rawValue } else { "-" }
                return "console \(definition.method.rawValue) \(definition.path) \(scope)"
            }
        #expect(described.sorted() == served.sorted())
    }

    @Test("Every path names its listener's address, as the document does")
    func servers() throws {
        let addresses = try #require(document.node("servers").sequence).map { $0["url"]?.string }
        #expect(addresses.count == 3)
        let listeners = [["public"], ["signing"], ["console"]]
        for operation in operations {
            let servers = try #require(document.node("paths", operation.path, "servers").sequence)
            let listener = try #require(listeners.firstIndex(of: operation.tags))
            #expect(servers.map { $0["url"]?.string } == [addresses[listener]])
        }
    }

    @Test("It carries the version of the program")
    func version() throws {
        let folder = try WorkFolder()
        let version = try SkanProcess.run(["--version"], in: folder.url).output.dropLast()
        #expect(try document.node("info", "version").string == String(version))
    }

    // MARK: Reasons

    /// Status and reason of an answer, and both ways what the document says of them.
    private func expect(
        _ answers: [(status: Int, reason: String)],
        of operation: APIDocument.Operation,
        without others: Set<String>
    ) {
        let answered = Set(answers.map { "\($0.status) \($0.reason)" })
        let described = operation.responses.flatMap { status, response in
            response.reasons.subtracting(others).map { "\(status) \($0)" }
        }
        #expect(Set(described) == answered, "\(operation.path)")
    }

    private func reason(_ answer: IngressAnswer) throws -> (status: Int, reason: String) {
        let object = try #require(JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        return (answer.status, object["reason"] as? String ?? "")
    }

    /// What the public listener answers before a body is looked at; held against its refusals beside its own tests.
    private var listenersOwn: Set<String> {
        get throws {
            try document.values(of: "UnsoundHTTP").union([
                "method-not-allowed", "deadline-passed", "body-too-large", "target-too-long", "unsupported-media-type",
                "unsupported-expectation", "head-too-large", "unanswered",
            ])
        }
    }

    private func notUnderstood() throws -> PostbackRejection {
        let body = try CommandTests.body("skan-4.0-web-fine")
            .replacingOccurrences(of: #""postback-sequence-index":0"#, with: #""postback-sequence-index":3"#)
        guard case .unknown(let unknown) = try PostbackReading(Array(body.utf8)) else {
            throw FieldProblem(field: "body", found: "a known postback", expected: "an unknown one")
        }
        return .notUnderstood(VerifiedUnknownPostback(verified: unknown, provenance: .apple, keyName: "a key"))
    }

    @Test("Deliveries: every outcome with its status, and nothing else")
    func deliveries() throws {
        let rejections: [PostbackRejection] = [
            .malformed([]), .unknownVersion("5.0"), .unknownKey("a"), try notUnderstood(), .invalidSignature(keys: []),
        ]
        #expect(rejections.count == PostbackRejection.Code.allCases.count - 1, "not-json is refused")
        let outcomes: [IngestOutcome] =
            rejections.map { .durable(.quarantined($0)) } + [
                .refused(.empty), .overloaded, .quarantineFull, .undecided, .storeFailed,
            ]
        let answers = try outcomes.map { try reason(IngressAnswer($0)) }
        for operation in operations where operation.tags == ["public"] && !operation.path.contains("get-signed") {
            try expect(answers, of: operation, without: listenersOwn)
        }
    }

    @Test("Taps on web ads: every outcome with its status, and nothing else")
    func taps() throws {
        let refusals: [WebAdRefusal] = [
            .notJSON(.empty), .malformed([]), .unknownVersion("5.0"), .nonceUnknown, .nonceUsed, .nonceExpired,
            .domainNotAllowed(try #require(SourceDomain("example.com"))),
        ]
        let outcomes: [WebAdOutcome] =
            refusals.map { .refused($0) } + [
                .noSigningKeys, .keyMissing(adNetworkID: "a"), .signerUnavailable(.late(socket: "s")), .overloaded,
                .failed,
            ]
        let operation = try #require(operations.first { $0.path == PublicRoute.webAdPayload.path })
        try expect(try outcomes.map { try reason(IngressAnswer($0)) }, of: operation, without: listenersOwn)
    }

    @Test("The console: every refusal for want of a token or of patience, where it can come")
    func access() {
        let refusals: [AccessRefusal] = [
            .noCredentials, .malformed, .unknown, .expired, .outOfScope(needed: .sign), .outOfNetwork(allowed: []),
            .outOfApp(allowed: []),
            .foreignHost,
        ]
        let patience = AccessRefusal.tooFast(retryAfter: .seconds(1))
        let codes = Set(refusals.map(\.code.rawValue))
        for operation in operations where operation.tags != ["public"] {
            for refusal in refusals {
                let described =
                    operation.responses[refusal.code.httpStatus]?.reasons.contains(refusal.code.rawValue) == true
                #expect(described == (operation.scope != nil), "\(operation.path): \(refusal)")
            }
            // Probes of liveness are never made to wait.
            let patient: Set? = operation.scope == nil ? nil : [patience.code.rawValue]
            #expect(operation.responses[patience.code.httpStatus]?.reasons == patient, "\(operation.path)")
            let others = operation.responses.filter { status, _ in !refusals.map(\.code.httpStatus).contains(status) }
            #expect(codes.isDisjoint(with: others.values.flatMap(\.reasons)), "\(operation.path)")
        }
    }

    @Test("Signing: every reason, and nothing else")
    func signing() throws {
        let own = try listenersOwn.union(["overloaded", "signer-unavailable", "signing-failed"])
        let gate = Set(
            [
                .noCredentials, .malformed, .unknown, .expired, .outOfScope(needed: .sign), .outOfNetwork(allowed: []),
                .outOfApp(allowed: []),
                .foreignHost,
                .tooFast(retryAfter: .zero),
            ].map(\AccessRefusal.code.rawValue))
        func described(_ route: SigningRoute) throws -> Set<String> {
            let operation = try #require(operations.first { $0.path == route.path })
            return Set(operation.responses.values.flatMap(\.reasons)).subtracting(gate)
        }
        #expect(try described(.impressions) == own.union(["not-json", "bad-field", "no-key"]))
        // The lines of a batch are answered with the reasons of an impression.
        #expect(try described(.batch) == own.union(["bad-field"]))
        // A bid is signed by networks that have a key, so that none can be missing.
        let bids = Set(BidRefusal.Reason.allCases.map(\.rawValue)).union(["not-json"])
        #expect(try described(.openRTB) == own.union(bids))
    }

    @Test("The store's routes: every reason, and nothing else")
    func store() throws {
        let gate = Set(
            [
                .noCredentials, .malformed, .unknown, .expired, .outOfScope(needed: .manage),
                .outOfNetwork(allowed: []), .outOfApp(allowed: []), .foreignHost,
                .tooFast(retryAfter: .zero),
            ].map(\AccessRefusal.code.rawValue)
        ).union(["method-not-allowed"])
        for route in [ConsoleRoute.quarantine, .postbacks, .requeue, .prune, .recount] {
            let operation = try #require(operations.first { $0.path == route.definition.path })
            let described = Set(operation.responses.values.flatMap(\.reasons)).subtracting(gate)
            let ofBodies: Set = ["not-json", "body-too-large", "unsupported-media-type"]
            let own = Set(["bad-field", "store-failed"]).union(route == .recount ? ["busy"] : [])
            #expect(described == (operation.method == "POST" ? own.union(ofBodies) : own), "\(operation.path)")
        }
        let costs = try #require(operations.first { $0.path == ConsoleRoute.costs.definition.path })
        #expect(
            Set(costs.responses.values.flatMap(\.reasons)).subtracting(gate)
                == ["bad-field", "store-failed", "body-too-large", "unsupported-media-type"])
    }

    @Test("Reports: every reason, and nothing else")
    func reports() throws {
        for route in [ConsoleRoute.report, .standardReport] {
            let operation = try #require(operations.first { $0.path == route.definition.path })
            #expect(operation.responses[400]?.reasons == ["bad-field", AccessRefusal.malformed.code.rawValue])
            #expect(operation.responses[422]?.reasons == ["too-large"])
            #expect(operation.responses[503]?.reasons == ["busy", "took-too-long", "store-failed"])
            #expect(Set(operation.responses.keys) == [200, 400, 401, 403, 405, 422, 429, 503])
        }
    }

    @Test("Every reason of a refusal has the one status of its code, at every path")
    func statuses() throws {
        var described: Set<ErrorCode> = []
        for operation in operations {
            for (status, response) in operation.responses where status != 200 {
                for reason in response.reasons {
                    let code = try #require(ErrorCode(rawValue: reason), "\(operation.path): \(reason)")
                    #expect(code.httpStatus == status, "\(operation.path): \(reason)")
                    described.insert(code)
                }
            }
        }
        #expect(described.count > 40)
    }

    @Test("Every 503 says when to come back")
    func retryAfter() {
        for operation in operations {
            guard let response = operation.responses[503] else {
                continue
            }
            #expect(response.headers.contains("Retry-After"), "\(operation.path)")
        }
    }

    // MARK: Closed sets

    private static let sets: [(String, [String])] = [
        ("Dimension", ReportDimension.allCases.map(\.rawValue)),
        ("Figure", ReportFigure.all.map(\.name)),
        ("Provenance", Provenance.allCases.map(\.rawValue)),
        ("Traffic", Traffic.allCases.map(\.rawValue)),
        ("KeptReason", QuarantineQuery.reasons),
        ("QuarantineClass", QuarantineClass.allCases.map(\.rawValue)),
        ("Recipient", Delivery.Recipient.allCases.map(\.rawValue)),
        ("SKAdNetworkVersion", SKAdNetworkVersion.allCases.map(\.rawValue)),
        ("QuarantineReason", PostbackRejection.Code.allCases.map(\.rawValue).filter { $0 != "not-json" }),
        ("VerdictWord", VerdictWord.allCases.map(\.rawValue)),
        ("ExplanationCause", ExplanationCause.allCases.map(\.rawValue)),
        ("BidRefusalReason", BidRefusal.Reason.allCases.map(\.rawValue)),
    ]

    @Test("Every closed set has the values of the code", arguments: sets)
    func closedSets(_ schema: String, _ values: [String]) throws {
        #expect(try document.values(of: schema) == Set(values))
    }

    @Test("Every closed set within a schema has the values of the code")
    func innerSets() throws {
        let kid = try document.node("components", "schemas", "PostbackJWSHeader", "properties", "kid", "examples")
        #expect(document.texts(kid) == PostbackKeyID.known.map(\.rawValue))
        let payload = try document.values(of: "PostbackJWSPayload", "properties", "conversion-type")
        #expect(payload == Set(ConversionType.allCases.map(\.rawValue)))
        let forms = try document.values(of: "ImpressionOrder", "properties", "forms", "items")
        #expect(forms == Set(AdForm.allCases.map(\.rawValue) + ["adattributionkit"]))
        let parameters = try #require(document.node("paths", "/v1/report", "get", "parameters").sequence)
        let format = try #require(parameters.first { $0["name"]?.string == "format" }?["schema"]?["enum"])
        #expect(document.texts(format) == ReportFormat.ofFreeReports.map(\.rawValue))
        #expect(try document.values(of: "StandardReportName") == Set(StandardReportName.allCases.map(\.rawValue)))
        #expect(try document.values(of: "ReportCellKind") == Set(ReportColumn.Kind.allCases.map(\.rawValue)))
        let standard = try #require(document.node("paths", "/v1/reports/{name}", "get", "parameters").sequence)
        let formats = try #require(standard.first { $0["name"]?.string == "format" }?["schema"]?["enum"])
        #expect(document.texts(formats) == ReportFormat.allCases.map(\.rawValue))
        let where_ = parameters.first { $0["name"]?.string == "where" }?["schema"]?["items"]?["pattern"]?.string
        let filtered = ReportDimension.allCases.filter { !$0.isTime }.map(\.rawValue)
        #expect(where_ == "^(\(filtered.joined(separator: "|")))!?=")
    }
}
