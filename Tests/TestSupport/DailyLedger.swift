package import Attribution
package import AttributionStore

/// A ledger with some installs each day, whose every text is one that a test gives.
package struct DailyLedger: LedgerReading {
    /// How many days have postbacks, the last of them ``lastDay``.
    package var days: Int64
    /// The value of every dimension but those of time; nil for values that postbacks can have.
    package var text: String?
    /// What is known of real ads, on whatever days.
    package var adCosts = AdCosts()
    /// The postback that conflicts in the quarantine contradict.
    package var contradicted: Int64 = 1
    /// What every method throws; nil for none.
    package var failure: StoreError?

    /// The last day with postbacks, 2026-11-21.
    package static let lastDay = CalendarDay(number: 20_778)

    /// Makes a ledger.
    package init(days: Int64, text: String? = nil, failure: StoreError? = nil) {
        self.days = days
        self.text = text
        self.failure = failure
    }

    /// The days that have postbacks, with how many: one on the first, two on the second.
    private var counted: [(quarter: Int64, count: Int64)] {
        (0..<days).map { index in
            let day = Self.lastDay.number - days + 1 + index
            // Noon.
            return ((day * 86_400 + 43_200) / 900, index + 1)
        }
    }

    package func answer(_ question: LedgerQuestion) async throws -> LedgerAnswer {
        try check()
        var rows: [(values: [String], counts: Counts)] = []
        for (quarter, count) in counted where question.received.map({ $0.contains(quarter * 900_000) }) ?? true {
            let values = question.dimensions.map { dimension in
                dimension.isTime
                    ? question.calendar.label(dimension, question.calendar.period(dimension, quarter))
                    : text ?? Self.value(of: dimension)
            }
            var counts = Counts()
            counts.count(
                CountedTraits(didWin: true, sequenceIndex: 0, isRedownload: false, conversion: .fine(7)), times: count)
            if let index = rows.firstIndex(where: { $0.values == values }) {
                rows[index].counts += counts
            } else {
                rows.append((values, counts))
            }
        }
        return LedgerAnswer(
            rows: LedgerRows(rows.map { LedgerRow(values: $0.values, counts: $0.counts) }),
            totals: rows.reduce(into: Counts()) { $0 += $1.counts },
            deliveries: deliveryCounts, position: LedgerPosition(store: "0123abcd", last: days, check: nil),
            recordedAtMilliseconds: counted.last.map { $0.quarter * 900_000 },
            unseen: question.conditions.flatMap { condition in
                condition.values.map { LedgerAnswer.UnseenValue(dimension: condition.dimension, value: $0) }
            })
    }

    private static func value(of dimension: ReportDimension) -> String {
        switch dimension {
        case .framework: PostbackFramework.skAdNetwork.rawValue
        case .network: "n.skadnetwork"
        case .version: SKAdNetworkVersion.v4_0.rawValue
        case .country: "DE"
        case .fidelity: "1"
        case .redownload: "false"
        case .sequenceIndex: "0"
        case .conversionValue: "7"
        case .recipient: Delivery.Recipient.network.rawValue
        case .app, .sourceApp, .sourceIdentifier: "5239"
        default: ""
        }
    }

    private var deliveryCounts: DeliveryCounts {
        var counts = DeliveryCounts()
        if days > 0 {
            counts.add(.init(status: .recorded, traffic: .apple, reason: nil), count: days, kept: days)
            counts.add(.init(status: .quarantined, traffic: nil, reason: .invalidSignature), count: 2, kept: 2)
        }
        return counts
    }

    package func deliveries(received: Range<Int64>?, inBackground: Bool) async throws -> DeliveryCounts {
        try check()
        return deliveryCounts
    }

    package func costs(_ question: AdCostQuestion) async throws -> AdCosts {
        try check()
        guard question.ads == .real else {
            return AdCosts()
        }
        var costs = adCosts
        costs.signed = costs.signed.filter { question.selects(.init(network: $0.key.network, app: $0.key.app)) }
        costs.spend = costs.spend.filter { question.selects(.init(network: $0.key.network, app: $0.key.app)) }
        costs.signedDays = costs.signedDays.filter { question.selects($0.key) }
        costs.spendDays = costs.spendDays.filter { question.selects($0.key) }
        return costs
    }

    package func postbacks(_ query: PostbackQuery) async throws -> [RecordedPostback] {
        try check()
        return (0..<days).map { $0 + 1 }.filter { $0 > query.after }.prefix(query.limit).map { id in
            RecordedPostback(
                id: id, recordedAtMilliseconds: 1_795_217_400_000, receivedAtMilliseconds: 1_795_217_400_125,
                recipient: .network, traffic: .apple, keyName: text ?? "a key", body: body, check: nil)
        }
    }

    package func export(_ query: ExportQuery) async throws -> ExportPage {
        try check()
        return ExportPage(
            postbacks: [], position: LedgerPosition(store: "0123abcd", last: days, check: nil),
            isLast: true)
    }

    package func quarantine(_ query: QuarantineQuery) async throws -> [QuarantinedDelivery] {
        try check()
        let kinds = QuarantineClass.allCases
        let all = (0..<days).map { index in
            let kind = kinds[Int(index) % kinds.count]
            return QuarantinedDelivery(
                id: index + 1, kind: kind, receivedAtMilliseconds: 1_795_217_400_000, recipient: .network,
                client: text ?? "",
                reason: kind == .conflict ? "conflict" : "malformed", detail: text ?? "a detail",
                postbackID: kind == .conflict ? contradicted : nil, body: body)
        }
        return Array(
            all.filter { delivery in
                delivery.id > query.after && query.id.map { $0 == delivery.id } ?? true
                    && query.kind.map { $0 == delivery.kind } ?? true
                    && query.reason.map { $0 == delivery.reason } ?? true
            }.prefix(query.limit))
    }

    /// The text, as JSON that is no postback.
    private var body: [UInt8] {
        Array("{\"text\":\"\(text ?? "")\"}".utf8)
    }

    package func quarantineTotals() async throws -> [QuarantineTotal] {
        try check()
        return QuarantineClass.allCases.map { QuarantineTotal(kind: $0, count: days, bytes: days * 100) }
    }

    package func recount(judge: @escaping @Sendable ([ReceivedBody]) -> [Judgement]) async throws -> Recount {
        throw StoreError.missing(path: "daily")
    }

    package func appleKeys() async throws -> [AppleKeyRecord] {
        try check()
        return []
    }

    package func forwardingStatus() async throws -> ForwardingStatus {
        try check()
        var destination = StoredDestination(name: text ?? "partner", cursor: .start)
        destination.lastFailure = text ?? ""
        return ForwardingStatus(destinations: [.init(destination: destination, count: days, oldestAt: nil)])
    }

    package func feed(after cursor: FeedCursor, limit: Int, bytes: Int) async throws -> FeedPage {
        try check()
        return FeedPage(postbacks: [], end: cursor)
    }

    package func failedForwardings(of name: String, due: Int64?, limit: Int) async throws -> [FailedForwarding] {
        try check()
        return []
    }

    package func close() {}

    private func check() throws {
        if let failure {
            throw failure
        }
    }
}
