import Attribution
import AttributionListener
import AttributionStore
import Logging

/// The pages of what is stored, and of who may use it.
extension PageRoutes {
    private static let listing = QuarantineQuery.filters + ["after", "limit"]

    func quarantine(_ request: IngressRequest, _ context: ConsoleContext) async throws -> PageAnswer {
        let query = try PageQuery(request, known: Self.listing)
        let wanted = try QuarantineQuery(listing: query.parameters(Self.listing))
        if let id = wanted.id {
            return try PageAnswer(try await delivery(id), query)
        }
        let deliveries = try await sources.reader.quarantine(wanted)
        let page = QuarantinePage(
            query: wanted, totals: try await sources.reader.quarantineTotals(), deliveries: deliveries)
        return try PageAnswer(page.page, query)
    }

    private func delivery(_ id: Int64) async throws -> Page {
        guard let delivery = try await sources.reader.quarantine(QuarantineQuery(id: id, limit: 1)).first else {
            throw Refusal(
                .notFound, "there is no delivery \(id) in the quarantine",
                hint: "it may have been judged again, or deleted")
        }
        var recorded: RecordedPostback?
        if let postback = delivery.postbackID {
            recorded = try await self.recorded(postback)
        }
        let explanation = delivery.kind == .conflict ? [] : sources.explain(delivery.receivedBody)
        return DeliveryPage(delivery: delivery, recorded: recorded, explanation: explanation).page
    }

    private func recorded(_ id: Int64) async throws -> RecordedPostback? {
        // Ids begin with 1, but a damaged store may name any.
        guard id >= 1 else {
            return nil
        }
        return try await sources.reader.postbacks(PostbackQuery(after: id - 1, limit: 1)).first { $0.id == id }
    }

    func conflicts(_ request: IngressRequest) async throws -> PageAnswer {
        let known = ["after", "limit"]
        let query = try PageQuery(request, known: known)
        var wanted = try QuarantineQuery(listing: query.parameters(known))
        wanted.kind = .conflict
        let deliveries = try await sources.reader.quarantine(wanted)
        return try PageAnswer(ConflictsPage(query: wanted, deliveries: deliveries).page, query)
    }

    func postback(_ request: IngressRequest) async throws -> PageAnswer {
        let known = ["id", "transaction-id"]
        let query = try PageQuery(request, known: known)
        let parameters = try query.parameters(known)
        let page: PostbackPage
        if let id = try parameters.integer("id", 1...Int64.max) {
            page = PostbackPage(text: "", postbacks: [try await recorded(id)].compactMap(\.self))
        } else if let text = try parameters.text("transaction-id") {
            page = PostbackPage(
                text: text, postbacks: try await sources.reader.postbacks(PostbackQuery(transactionID: text)))
        } else {
            page = PostbackPage(text: "", postbacks: nil)
        }
        return try PageAnswer(page.page, query)
    }

    func destinations(_ request: IngressRequest) async throws -> PageAnswer {
        let query = try PageQuery(request, known: [])
        let status = try await sources.reader.forwardingStatus()
        return try PageAnswer(
            DestinationsPage(status: status, nowMilliseconds: sources.health().nowMilliseconds).page, query)
    }

    // MARK: Changing

    private static let changing = QuarantineQuery.filters + ["limit"]

    func requeueQuestion(_ request: IngressRequest, _ context: ConsoleContext) throws -> PageAnswer {
        let query = try PageQuery(request, known: Self.changing)
        let wanted = try QuarantineQuery(changing: query.parameters(Self.changing))
        return .page(RequeuePage(query: wanted).question(formToken: formToken(context)))
    }

    func requeue(_ request: IngressRequest, _ context: ConsoleContext) async throws -> PageAnswer {
        let form = try FormPost(request, formToken: requiredFormToken(context))
        let wanted = try QuarantineQuery(changing: RequestParameters(form.fields.fields, known: Self.changing))
        let result = try await sources.requeue(wanted)
        logger.notice(
            "quarantine judged again",
            metadata: [
                "judged": "\(result.judged)", "recorded": "\(result.recorded)",
                "token": "\(context.caller?.name ?? "none")",
            ])
        return .page(RequeuePage(query: wanted).outcome(result))
    }

    private func requiredFormToken(_ context: ConsoleContext) throws(Refusal) -> String {
        guard let token = formToken(context) else {
            throw Refusal(
                .noToken, "forms need a session, and this request has a token of its own",
                hint: "log in with a browser, or use POST /v1/quarantine/requeue")
        }
        return token
    }

    // MARK: Keys and tokens

    func keys(_ request: IngressRequest) throws -> PageAnswer {
        let query = try PageQuery(request, known: [])
        return try PageAnswer(KeysPage(keys: sources.keys(), tokens: access?.tokens).page, query)
    }
}
