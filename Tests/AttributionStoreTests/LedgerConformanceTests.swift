import Attribution
import AttributionHarness
import AttributionSigning
import AttributionStore
import Foundation
import Testing

// One after the other: each keeps a processor busy, and others measure time.
@Suite("The rules of every ledger", .serialized)
final class LedgerConformanceTests {
    private let postbacks: Postbacks
    private let store: TemporaryStore

    init() throws {
        postbacks = try ManyPostbacks.postbacks()
        store = try TemporaryStore()
    }

    @Test("A store keeps each added key once, with its latest dates, and a copy has them", arguments: LedgerFactory.all)
    func appleKeys(_ factory: LedgerFactory) async throws {
        func key(_ name: String, _ signer: PostbackSigner, _ validity: Range<Int64>) -> AppleKeyRecord {
            AppleKeyRecord(
                name: name, publicKey: [0, 1, 255], signer: signer, provenance: .development, validity: validity)
        }
        let source = try factory.open(store.path)
        let keys = [
            key("a", .skAdNetwork(.v4_0), AppleKeyRecord.always),
            key("a", .adAttributionKit(PostbackKeyID("apple/1")), 5..<7),
        ]
        try source.writer.keep([])
        #expect(try await source.reader.appleKeys() == [])
        try source.writer.keep(keys)
        let retired = key("b", .skAdNetwork(.v4_0), Int64.min..<9)
        try source.writer.keep([retired])
        #expect(Set(try await source.reader.appleKeys()) == [retired, keys[1]])
        for other in LedgerFactory.all {
            let target = try other.openTarget(store.path + "-copy")
            let reader = try #require(source.reader as? any LedgerCopySource)
            let copier = LedgerCopier(from: reader, to: target.target) { _ in [] }
            _ = try await copier.run(isStopped: true)
            #expect(Set(try await target.reader.appleKeys()) == [retired, keys[1]])
        }
    }

    /// A store with many postbacks, recorded in batches.
    private func fill(_ factory: LedgerFactory) throws -> (ledger: AnyLedger, many: ManyPostbacks) {
        let many = try ManyPostbacks()
        let ledger = try factory.open(store.path)
        for start in stride(from: 0, to: many.deliveries.count, by: 700) {
            let batch = Array(many.deliveries[start..<min(start + 700, many.deliveries.count)])
            #expect(try ledger.record(batch).allSatisfy { $0 == .recorded(.test) })
        }
        // In PostgreSQL, this writes blocks.
        ledger.writer.heartbeat()
        return (ledger, many)
    }

    static let noon = Postbacks.noon
    static let questions: [LedgerQuestion] = [
        LedgerQuestion(),
        LedgerQuestion(received: 4_000_000_000_000..<5_000_000_000_000),
        LedgerQuestion(dimensions: [.network, .app, .campaignID, .sourceIdentifier]),
        LedgerQuestion(dimensions: [.sourceApp, .sourceDomain]),
        LedgerQuestion(dimensions: [.version, .fidelity, .redownload, .sequenceIndex, .framework]),
        LedgerQuestion(dimensions: [.conversionType, .marketplace, .country, .interactionType]),
        LedgerQuestion(dimensions: [.conversionValue]), LedgerQuestion(dimensions: [.recipient, .version]),
        LedgerQuestion(dimensions: [.day], calendar: utcDays),
        LedgerQuestion(dimensions: [.app, .hour], calendar: utcDays),
        LedgerQuestion(dimensions: [.day, .hour, .sourceApp, .campaignID, .conversionValue], calendar: utcDays),
        LedgerQuestion(dimensions: [.app], received: (noon - 30 * 86_400_000 - 43_200_000)..<(noon - 43_200_000)),
        LedgerQuestion(dimensions: [.day], received: 0..<900_000, calendar: utcDays),
        LedgerQuestion(dimensions: [.day], received: (-3_000_000_000_000)..<1, calendar: utcDays),
        LedgerQuestion(dimensions: [.app], received: 4_000_000_000_000..<5_000_000_000_000),
        LedgerQuestion(
            dimensions: [.app, .version], conditions: [.init(dimension: .version, values: ["3.0", "4.0"])]),
        LedgerQuestion(
            dimensions: [.version], conditions: [.init(dimension: .version, values: ["3.0", ""], isExcluded: true)]),
        LedgerQuestion(dimensions: [.sourceApp], conditions: [.init(dimension: .sourceApp, values: [""])]),
        LedgerQuestion(
            dimensions: [.campaignID],
            conditions: [
                .init(dimension: .sourceDomain, values: [""]), .init(dimension: .conversionValue, values: ["absent"]),
                .init(dimension: .recipient, values: ["developer"]),
            ]),
        LedgerQuestion(dimensions: [.app], conditions: [.init(dimension: .app, values: ["1", "no such"])]),
        // Codes of more than 64 bits.
        LedgerQuestion(
            dimensions: ReportDimension.allCases.filter { ![.week, .month].contains($0) && !$0.isOfInstall },
            calendar: utcDays),
        LedgerQuestion(dimensions: [.installDays, .installDayEstimate, .network], calendar: utcDays),
    ]

    @Test("Every answer equals that of counting postbacks one by one", arguments: LedgerFactory.all)
    func exact(_ factory: LedgerFactory) async throws {
        let (ledger, many) = try fill(factory)
        for question in Self.questions {
            try await ledger.reader.expectExact(many, question)
        }
        for dimension in ReportDimension.allCases where !dimension.isTime {
            try await ledger.reader.expectExact(many, LedgerQuestion(dimensions: [dimension]))
        }
        #expect(try await ledger.differences(postbacks.verifier) == [])
        // The next owner continues where this one stopped.
        try ledger.close()
        let next = try factory.open(store.path)
        #expect(try next.record(many.deliveries.suffix(400)).allSatisfy { $0 == .duplicate(.test) })
        try await next.reader.expectExact(many, LedgerQuestion(dimensions: [.app, .sourceApp]))
    }

    @Test(
        "Rows are ordered by value: missing values first, numbers by size, periods by time",
        arguments: LedgerFactory.all)
    func order(_ factory: LedgerFactory) async throws {
        let (ledger, _) = try fill(factory)
        func values(_ dimension: ReportDimension) async throws -> [String] {
            let question = LedgerQuestion(dimensions: [dimension], traffic: .test, calendar: utcDays)
            return try await ledger.answer(question).rows.map { $0.values[0] }
        }
        let campaigns = try await values(.campaignID)
        #expect(campaigns.first == "" && campaigns.count > 5)
        #expect(campaigns.dropFirst().compactMap { Int($0) } == campaigns.dropFirst().compactMap { Int($0) }.sorted())
        let conversions = try await values(.conversionValue)
        let words = Array(conversions.drop { Int($0) != nil })
        #expect(conversions.prefix(3) == ["0", "1", "2"] && words == words.sorted() && words.contains("low"))
        #expect(words.allSatisfy { Int($0) == nil })
        let times = try await values(.day).compactMap { Int($0.dropFirst(4)) }
        #expect(times == times.sorted() && times.count > 390 && times[0] < 0)
    }

    @Test("A position always gives the same rows and totals; deliveries are as of now", arguments: LedgerFactory.all)
    func position(_ factory: LedgerFactory) async throws {
        let many = try ManyPostbacks(ManyPostbacks.block + 500)
        let ledger = try factory.open(store.path)
        for (first, last) in [(0, 100), (100, 4_000), (4_000, ManyPostbacks.block), (ManyPostbacks.block, 4_500)] {
            _ = try ledger.record(Array(many.deliveries[first..<last]))
            ledger.writer.heartbeat()
            let before = try await ledger.answer(LedgerQuestion(dimensions: [.app], traffic: .test))
            _ = try ledger.record([try postbacks.delivery(postbacks.draft(id: "later \(last)"))])
            let position = try #require(LedgerPosition(before.position.description))
            let after = try await ledger.answer(
                LedgerQuestion(dimensions: [.app], traffic: .test, asOf: position))
            let isSame = Array(after.rows) == Array(before.rows) && after.totals == before.totals
            #expect(isSame)
            #expect(after.position == before.position)
            #expect(after.recordedAtMilliseconds == before.recordedAtMilliseconds)
            #expect(after.deliveries.received == before.deliveries.received + 1)
        }
    }

    @Test(
        "As of any position, within blocks and at their ends, everything up to it is counted",
        arguments: LedgerFactory.all)
    func anyPosition(_ factory: LedgerFactory) async throws {
        let (ledger, many) = try fill(factory)
        let position = try await ledger.answer(LedgerQuestion()).position
        let store = try #require(position.description.split(separator: "-").first)
        let block = ManyPostbacks.block
        for count in [0, 1, 2_500, block - 1, block, block + 1, 2 * block, 2 * block + 299] {
            let asOf = try #require(LedgerPosition("\(store)-\(count)"))
            for dimensions in [[], [.version, .app]] as [[ReportDimension]] {
                try await ledger.reader.expectExact(
                    ManyPostbacks(count), LedgerQuestion(dimensions: dimensions, asOf: asOf))
            }
        }
        #expect(many.deliveries.count == 2 * block + 300)
    }

    @Test("A position of another store, or beyond the newest postback, is refused", arguments: LedgerFactory.all)
    func strangePositions(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        _ = try ledger.record([try postbacks.delivery(postbacks.draft(id: "a"))])
        let position = try await ledger.answer(LedgerQuestion()).position
        let other = try factory.open(store.path + "-other")
        await #expect(throws: LedgerQuestionError.foreignPosition(position)) {
            try await other.answer(LedgerQuestion(asOf: position))
        }
        let text = position.description.prefix(9) + "2"
        let beyond = try #require(LedgerPosition(String(text)))
        await #expect(throws: LedgerQuestionError.futurePosition(beyond)) {
            try await ledger.answer(LedgerQuestion(asOf: beyond))
        }
        for text in [
            "", "1", "12345678-", "1234567g-1", "12345678--1", "12345678-01", "12345678-1-1", "12345678-1-",
            "12345678-1-abcg", "12345678-1-+abc",
        ] {
            #expect(LedgerPosition(text) == nil)
        }
    }

    @Test("Too many cells, too much time, and cancellation stop an answer", arguments: LedgerFactory.all)
    func limits(_ factory: LedgerFactory) async throws {
        let (ledger, _) = try fill(factory)
        var question = LedgerQuestion(
            dimensions: [.app, .sourceApp], traffic: .test, limits: LedgerLimits(cells: 100))
        await #expect(throws: LedgerQuestionError.tooManyCells(limit: 100)) { try await ledger.answer(question) }
        question.limits = LedgerLimits(deadline: .zero)
        await #expect(throws: LedgerQuestionError.deadlinePassed(.zero)) { try await ledger.answer(question) }
        let asked = question
        let task = Task {
            while !Task.isCancelled {
                await Task.yield()
            }
            var question = asked
            question.limits = LedgerLimits()
            return try await ledger.answer(question)
        }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test("A value that no postback has is reported, but not one of other traffic", arguments: LedgerFactory.all)
    func unseen(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        _ = try ledger.record([try postbacks.delivery(postbacks.draft(id: "a"))])
        let answer = try await ledger.answer(
            LedgerQuestion(
                conditions: [
                    .init(dimension: .app, values: ["1", "525463029"]), .init(dimension: .version, values: ["9"]),
                    .init(dimension: .sourceApp, values: [""]),
                ]))
        #expect(
            answer.unseen == [.init(dimension: .app, value: "1"), .init(dimension: .version, value: "9")])
    }

    @Test(
        "Postbacks are found by transaction id and by time, in blocks and after the last block",
        arguments: LedgerFactory.all)
    func finding(_ factory: LedgerFactory) async throws {
        let (ledger, many) = try fill(factory)
        for index in [0, 5_000, 8_400] {
            guard case .verified(let verified) = many.deliveries[index].judgement else {
                continue
            }
            let id = verified.postback.key.transactionID.text
            let found = try await ledger.reader.postbacks(PostbackQuery(transactionID: id))
            #expect(found.contains { $0.id == index + 1 && $0.body == verified.postback.body })
            #expect(
                found.allSatisfy { postback in
                    (postback.body.flatMap { try? ReceivedPostback(reading: $0) })?.key.transactionID.text == id
                })
        }
        let range = (Self.noon - 86_400_000 + 5)..<(Self.noon - 1_000_000)
        var query = PostbackQuery(received: range, limit: 7)
        var found: [Int64] = []
        while case let page = try await ledger.reader.postbacks(query), let last = page.last {
            found += page.map(\.id)
            query.after = last.id
        }
        let expected = many.deliveries.indices.filter { range.contains(many.deliveries[$0].receivedAtMilliseconds) }
        #expect(found == expected.map { Int64($0) + 1 } && found.count > 5)
    }

    @Test(
        "Postbacks of some apps, received in some time, are handed out in order, none else",
        arguments: LedgerFactory.all)
    func ofApps(_ factory: LedgerFactory) async throws {
        let (ledger, many) = try fill(factory)
        let all = many.deliveries.enumerated().compactMap { index, delivery -> (id: Int64, app: String, at: Int64)? in
            guard case .verified(let verified) = delivery.judgement else {
                return nil
            }
            return (
                Int64(index) + 1, ReportDimension.app.value(of: verified.postback), delivery.receivedAtMilliseconds
            )
        }
        let names = Set(all.map(\.app)).sorted()
        let apps = [AppStoreItemID(try #require(names.first.flatMap { Int64($0) }))]
        let range = (Self.noon - 200 * 86_400_000)..<(Self.noon - 86_400_000)
        for received in [nil, range] {
            for (wanted, name) in [(apps, names[0]), ([], ""), ([AppStoreItemID(4)], "4")] {
                let expected = all.filter { row in
                    (name.isEmpty || row.app == name) && received.map { $0.contains(row.at) } ?? true
                }.map(\.id)
                var query = ExportQuery(traffic: .test, received: received, apps: wanted, limit: 300)
                var ids: [Int64] = []
                var isLast = false
                while !isLast {
                    let page = try await ledger.reader.export(query)
                    ids += page.postbacks.map(\.postback.id)
                    (query.after, isLast) = (page.position, page.isLast)
                }
                #expect(ids == expected, "\(name) \(received as Any)")
                let listed = try await ledger.reader.postbacks(
                    PostbackQuery(received: received, apps: wanted, limit: 100_000))
                #expect(listed.map(\.id) == expected)
            }
        }
    }

    @Test("Positions appear in order, and never before one already read", arguments: LedgerFactory.all)
    func positions(_ factory: LedgerFactory) async throws {
        let many = try ManyPostbacks(ManyPostbacks.block + 700)
        let ledger = try factory.open(store.path)
        async let exported = {
            var ids: [Int64] = []
            var query = ExportQuery(traffic: .test, limit: 97)
            while ids.count < many.deliveries.count {
                let page = try await ledger.reader.export(query)
                ids += page.postbacks.map(\.postback.id)
                query.after = page.position
            }
            return ids
        }()
        var next = 0
        for size in (1...).lazy.map({ $0 * 37 % 150 + 1 }) where next < many.deliveries.count {
            let end = min(next + size, many.deliveries.count)
            _ = try ledger.record(Array(many.deliveries[next..<end]))
            next = end
            if next == many.deliveries.count {
                break
            }
        }
        #expect(try await exported == (1...Int64(many.deliveries.count)).map(\.self))
    }

    @Test("Many senders of one postback make one row, and each gets its result", arguments: LedgerFactory.all)
    func oneRow(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        let delivery = try postbacks.delivery(postbacks.draft(id: "a"))
        let answers = try await withThrowingTaskGroup(of: Recording?.self) { group in
            for _ in 0..<16 {
                group.addTask { try ledger.record([delivery])[0] }
            }
            return try await group.reduce(into: [Recording?]()) { $0.append($1) }
        }
        #expect(answers.count { $0 == .recorded(.test) } == 1)
        #expect(answers.count { $0 == .duplicate(.test) } == 15)
        #expect(try await ledger.totals()[.postbacks] == 1)
    }

    @Test(
        "A recount with the test key says which test postbacks do not verify again; without it, which may have changed",
        arguments: LedgerFactory.all)
    func damagedBody(_ factory: LedgerFactory) async throws {
        let ledger = try factory.open(store.path)
        #expect(try ledger.record([postbacks.delivery(postbacks.draft(id: "a"))]) == [.recorded(.test)])
        try ledger.close()
        try factory.replaceInBodies(store.path, "525463029", "525463028")
        let damaged = try factory.open(store.path)
        let (verifier, withoutKey) = (postbacks.verifier, try PostbackVerifier())
        let found = try await damaged.reader.recount { verifier.judge($0) }
        #expect(found.unverifiedTest == 0 && found.verified == 0)
        let differences = found.differences.map(\.description)
        #expect(differences.contains { $0.hasPrefix("postback 1: does not verify again") }, "\(differences)")
        let unknown = try await damaged.reader.recount { withoutKey.judge($0) }
        #expect(unknown.unverifiedTest == 0)
        let doubts = unknown.differences.map(\.description)
        #expect(doubts.contains { $0.hasPrefix("postback 1: its digests do not match, and the key") }, "\(doubts)")
        #expect(unknown.differences.allSatisfy { !$0.isRepairable }, "\(doubts)")
    }

    @Test(
        "An export continues where it stopped, with every postback once and as received", arguments: LedgerFactory.all)
    func export(_ factory: LedgerFactory) async throws {
        let (ledger, many) = try fill(factory)
        var bodies: [[UInt8]?] = []
        var query = ExportQuery(traffic: .test, limit: 1_000)
        while case let page = try await ledger.reader.export(query), !page.postbacks.isEmpty {
            bodies += page.postbacks.map(\.postback.body)
            query.after = page.position
        }
        let expected = many.deliveries.map { delivery -> [UInt8]? in
            if case .verified(let verified) = delivery.judgement { verified.postback.body } else { nil }
        }
        let isSame = bodies == expected
        #expect(isSame)
        let apple = try await ledger.reader.export(ExportQuery(traffic: .apple))
        #expect(apple.postbacks.isEmpty && apple.isLast && apple.position == query.after)
    }
}
