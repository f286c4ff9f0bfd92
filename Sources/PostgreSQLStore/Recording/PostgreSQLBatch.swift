import Attribution
import AttributionStore

/// The work of one recording transaction.
struct PostgreSQLBatch {
    /// A delivery, and the row of the quarantine it comes from when it is judged again.
    struct Item {
        let delivery: Delivery
        let origin: QuarantinedDelivery?
        /// Those of a verified postback.
        let digests: PostbackDigests?

        init(_ delivery: Delivery, from origin: QuarantinedDelivery? = nil) {
            self.delivery = delivery
            self.origin = origin
            if case .verified(let verified) = delivery.judgement {
                digests = PostbackDigests(verified.postback, provenance: verified.provenance)
            } else {
                digests = nil
            }
        }
    }

    let connection: PostgreSQLConnection
    private let networks: OwnNetworks
    private(set) var codes: ValueCodes
    private(set) var quarantine: QuarantineInsertion
    private(set) var sums = DeliverySums()
    /// What became of deliveries that were judged again.
    private(set) var requeued = Requeued()
    /// Whether some postbacks are known by their ids alone.
    var hasKnownIDs = false
    /// Whether a delivery that is in the store, of the same moment and recipient, is passed over.
    var isImporting = false
    /// The indexes of deliveries that were passed over.
    private(set) var passedOver: Set<Int> = []
    /// When the database says that it recorded; nil when no postback was new.
    private(set) var recordedAt: Int64?

    init(_ connection: PostgreSQLConnection, networks: OwnNetworks, codes: ValueCodes, room: QuarantineRoom) {
        self.connection = connection
        self.networks = networks
        self.codes = codes
        quarantine = QuarantineInsertion(room)
    }

    /// The first copies of the postbacks among some deliveries.
    static func insertion(_ items: [Item], _ networks: OwnNetworks) -> PostbackInsertion {
        var seen: Set<Digest16> = []
        var copies: [PostbackInsertion.Copy] = []
        for item in items {
            guard case .verified(let verified) = item.delivery.judgement, let digests = item.digests,
                seen.insert(digests.key).inserted
            else {
                continue
            }
            let traffic = networks.traffic(of: verified)
            copies.append(
                PostbackInsertion.Copy(
                    body: verified.postback.body, keyName: verified.keyName, digests: digests,
                    facts: PostbackFacts(
                        verified.postback, traffic: traffic, recipient: item.delivery.recipient,
                        receivedAtMilliseconds: item.delivery.receivedAtMilliseconds, key: digests.key),
                    receivedAt: item.delivery.receivedAtMilliseconds))
        }
        return PostbackInsertion(copies: copies)
    }

    /// Records deliveries.
    ///
    /// - Returns: What became of each; nil for one that can be neither recorded nor kept, or not decided.
    mutating func record(
        _ items: [Item],
        _ insertion: PostbackInsertion,
        isLearning: Bool = false
    ) throws -> [Recording?] {
        if isLearning {
            try codes.learn(insertion.copies.lazy.flatMap(\.values), connection)
        }
        let claimed = hasKnownIDs ? try claimed(items) : []
        let stored = try insertion.insert(connection, codes, excluding: claimed)
        recordedAt = stored.recordedAt
        var known = stored.known
        var unrecorded = stored.inserted
        try quarantine.prepare(contradicting: known.values.map(\.id), connection)
        let bodies = items.map(rejected)
        // Of what is rejected, only bodies of class `unknown` have a digest.
        try quarantine.prepare(unknown: bodies.compactMap { $0?.content }, connection)
        let recordings = try items.enumerated().map { index, item -> Recording? in
            let delivery = item.delivery
            guard case .verified(let verified) = delivery.judgement, let digests = item.digests else {
                return try reject(item, bodies[index])
            }
            if let id = unrecorded.removeValue(forKey: digests.key) {
                let traffic = networks.traffic(of: verified)
                known[digests.key] = PostbackInsertion.Known(
                    id: id, content: digests.content, receivedAt: delivery.receivedAtMilliseconds,
                    recipient: delivery.recipient, traffic: traffic)
                return note(.recorded(traffic), item)
            }
            if known[digests.key] == nil, claimed.contains(digests.key) {
                return note(.duplicate(networks.traffic(of: verified)), item)
            }
            // Neither inserted nor found: another transaction may still win. Whoever sent it has to come back.
            guard let first = known[digests.key] else {
                return nil
            }
            if isImporting, first.says(digests.content, delivery) {
                passedOver.insert(index)
                return nil
            }
            guard first.content == digests.content else {
                return try contradict(first, digests.content, verified, item)
            }
            sums.countRepeat(of: first.id, receivedAt: first.receivedAt, by: first.recipient, delivery)
            return note(.duplicate(first.traffic), item)
        }
        try quarantine.write(connection)
        try sums.write(connection)
        return recordings
    }

    /// The keys of postbacks that were counted before this store, and are known by their ids alone.
    private func claimed(_ items: [Item]) throws -> Set<Digest16> {
        var keys: [KnownID: [Digest16]] = [:]
        for item in items {
            if case .verified(let verified) = item.delivery.judgement, let digests = item.digests {
                keys[KnownID(verified.postback.key), default: []].append(digests.key)
            }
        }
        return Set(try KnownID.claimed(keys.keys, connection).flatMap { keys[$0] ?? [] })
    }

    // MARK: What is not counted

    private func rejected(_ item: Item) -> QuarantinedBody? {
        guard case .rejected(let rejection, let body) = item.delivery.judgement else {
            return nil
        }
        return QuarantinedBody(rejection, body, item.delivery, networks: networks)
    }

    private mutating func reject(_ item: Item, _ body: QuarantinedBody?) throws -> Recording? {
        guard case .rejected(let rejection, _) = item.delivery.judgement, let body,
            item.origin?.mayBecome(body.kind) ?? true
        else {
            if item.origin != nil {
                requeued.count(nil)
            }
            return nil
        }
        if let traffic = quarantine.keptUnknown(body, besides: item.origin?.id) {
            return note(.duplicate(traffic), item)
        }
        if let origin = item.origin {
            quarantine.change(origin, to: body)
            requeued.count(nil)
            let recording = Recording.quarantined(rejection)
            if rejection.code.rawValue != origin.reason {
                move(origin, to: recording, item.delivery)
            }
            return recording
        }
        let isKept = quarantine.keep(body)
        // What may be genuine is not acknowledged without being kept.
        guard isKept || !body.kind.isKeptOrRefused else {
            return nil
        }
        return note(.quarantined(rejection, isKept: isKept), item)
    }

    private mutating func contradict(
        _ first: PostbackInsertion.Known,
        _ content: Digest16,
        _ verified: VerifiedPostback,
        _ item: Item
    ) throws -> Recording? {
        let body = QuarantinedBody(conflictWith: first.id, content, verified.postback.body, item.delivery)
        if let origin = item.origin {
            // What was kept stays kept.
            quarantine.change(origin, to: body)
            let recording = Recording.conflict(first.traffic)
            move(origin, to: recording, item.delivery)
            requeued.count(recording)
            return recording
        }
        return note(.conflict(first.traffic, isKept: quarantine.keepConflict(body)), item)
    }

    // MARK: Counting

    private mutating func note(_ recording: Recording, _ item: Item) -> Recording {
        if let origin = item.origin {
            quarantine.remove(origin)
            move(origin, to: recording, item.delivery)
            requeued.count(recording)
        } else {
            sums.count(
                .init(recording, recipient: item.delivery.recipient), kept: recording.isKept ? 1 : 0, at: item.delivery)
        }
        return recording
    }

    /// Counts a delivery of the quarantine as what it has become.
    private mutating func move(_ origin: QuarantinedDelivery, to recording: Recording, _ delivery: Delivery) {
        let before = DeliveryCounts.Kind(
            status: .quarantined, traffic: nil, reason: PostbackRejection.Code(rawValue: origin.reason),
            recipient: origin.recipient)
        let after = DeliveryCounts.Kind(recording, recipient: delivery.recipient)
        sums.count(before, -1, kept: -1, at: delivery)
        sums.count(after, kept: 1, at: delivery)
    }
}
