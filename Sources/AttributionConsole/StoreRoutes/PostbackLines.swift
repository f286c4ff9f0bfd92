import Attribution
import AttributionListener
import AttributionReports
import AttributionStore
import StrictJSON

/// Recorded postbacks as lines of NDJSON, in the order of recording, from a cursor on.
///
/// Who is limited to apps gets the postbacks of these that won. Nothing tells how many others there are: a cursor names
/// the postback of its line, not the number of its row.
struct PostbackLines {
    private let reader: any LedgerReading
    private let caller: AccessGrant?
    private var query: ExportQuery
    private let after: PostbackCursor?

    /// The parameters of a URL, besides those of the listing in JSON.
    static let parameters = ["format", "date", "from", "to", "provenance", "after", "limit"]
    private static let limits: ClosedRange<Int64> = 1...10_000

    /// Reads a request; nil for one that wants the listing in JSON.
    init?(_ request: IngressRequest, _ context: ConsoleContext, _ reader: any LedgerReading) throws {
        let formats = [ReportFormat.json, .ndjson]
        let named = request.queryParameters.first { $0.name == "format" }?.value
        if let named, !formats.contains(where: { $0.rawValue == named }) {
            throw FieldProblem(field: "format", found: named.shortened(to: 20), expected: "json or ndjson")
        }
        let isJSON = named.map { $0 == ReportFormat.json.rawValue }
        if context.isLimitedToApps {
            // The listing has the numbers of rows, which count all postbacks.
            guard isJSON != true else {
                throw FieldProblem(
                    field: "format", found: "json", expected: "ndjson with a token that is limited to apps")
            }
        } else if isJSON
            ?? (ReportFormat(accept: request.fields.values("accept"), among: formats) == .json)
        {
            return nil
        }
        let parameters = try RequestParameters(query: request, known: Self.parameters)
        let limit = try parameters.integer("limit", Self.limits) ?? 1_000
        query = ExportQuery(
            traffic: try Traffic(named: try parameters.text("provenance") ?? Traffic.apple.rawValue, in: "provenance"),
            received: try Self.received(parameters), apps: context.caller?.apps ?? [], limit: Int(limit))
        after = try parameters.text("after").map { text throws(FieldProblem) in
            guard let cursor = PostbackCursor(text) else {
                throw PostbackCursor.unknown
            }
            return cursor
        }
        caller = context.caller
        self.reader = reader
    }

    /// The time of receipt, from days of UTC.
    private static func received(_ parameters: RequestParameters) throws(FieldProblem) -> Range<Int64>? {
        guard let date = try parameters.day("date") else {
            return try PostbackQuery.received(from: try parameters.day("from"), through: try parameters.day("to"))
        }
        guard !parameters.has(anyOf: ["from", "to"]) else {
            throw FieldProblem(field: "date", found: "\(date) together with from or to", expected: "one or the other")
        }
        return try PostbackQuery.received(from: date, through: date)
    }

    /// The lines after the cursor, with the cursor of the last one, and whether there are more.
    func answer() async throws -> IngressAnswer {
        var query = query
        query.after = try await position()
        var lines: [String] = []
        var last = after
        var isLast = false
        // Postbacks that are left out do not make a page shorter, or none.
        while lines.count < self.query.limit, !isLast {
            try Task.checkCancellation()
            query.limit = self.query.limit - lines.count
            let page = try await reader.export(query)
            for (_, postback) in page.postbacks {
                if let received = postback.received, isShown(received) {
                    let cursor = PostbackCursor(received, postback)
                    lines.append(postback.line(received, cursor))
                    last = cursor
                }
            }
            (query.after, isLast) = (page.position, page.isLast)
        }
        var answer = IngressAnswer.text(IngressMediaType.ndjson.rawValue, lines.joined())
        answer.set("Vary", "Accept")
        if let last {
            answer.set("Skan-Next", last.text)
        }
        answer.set("Skan-More", String(!isLast))
        return answer
    }

    /// Where the postback of the cursor is.
    private func position() async throws -> LedgerPosition? {
        guard let after else {
            return nil
        }
        let candidates = try await reader.postbacks(PostbackQuery(transactionID: after.transactionID, apps: query.apps))
        let found = candidates.first { postback in
            postback.received.map { isShown($0) && PostbackCursor($0, postback) == after } ?? false
        }
        guard let found else {
            throw PostbackCursor.unknown
        }
        let store = try await reader.export(ExportQuery(traffic: nil, limit: 1)).position.store
        return LedgerPosition(store: store, last: found.id, check: found.check)
    }

    /// Whether the token may see a postback; versions before 3.0 have those that won alone, and do not say so.
    private func isShown(_ postback: ReceivedPostback) -> Bool {
        guard let caller, caller.isLimited else {
            return true
        }
        return postback.didWin ?? true && caller.allows(network: postback.adNetworkID.text)
            && caller.allows(app: ReportDimension.app.value(of: postback))
    }
}

/// Names a postback by what it says itself.
private struct PostbackCursor: Equatable {
    let transactionID: String
    /// Of what makes the postback one and the same: windows and keys may share a transaction id.
    private let digest: [UInt8]

    private static let digestLength = 8

    static let unknown = FieldProblem(
        field: "after", found: "the cursor of no postback here",
        expected: "one of an earlier answer for this token; or none, with date or from")

    init(_ received: ReceivedPostback, _ postback: RecordedPostback) {
        transactionID = received.key.transactionID.text
        digest = Array(
            PostbackDigests.key(of: received, provenance: postback.traffic.provenance).bytes.prefix(Self.digestLength))
    }

    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count > Self.digestLength,
            let id = String(validating: bytes.dropFirst(Self.digestLength), as: UTF8.self)
        else {
            return nil
        }
        (digest, transactionID) = (Array(bytes.prefix(Self.digestLength)), id)
    }

    var text: String {
        Base64URL.encode(digest + Array(transactionID.utf8))
    }
}

extension RecordedPostback {
    /// What its bytes say; nil where they are gone.
    fileprivate var received: ReceivedPostback? {
        body.flatMap { try? ReceivedPostback(reading: $0) }
    }

    fileprivate func line(_ received: ReceivedPostback, _ cursor: PostbackCursor) -> String {
        let members: [(String, JSONText)] = [
            ("cursor", .string(cursor.text)),
            ("received-at", .string(Moment(milliseconds: receivedAtMilliseconds).preciseText)),
            ("provenance", .string(traffic.rawValue)), ("recipient", .string(recipient.rawValue)),
            ("did-win", received.didWin.map(JSONText.bool) ?? .null),
        ]
        return JSONText.object(members + StoredBody(body).members).line + "\n"
    }
}
