import Attribution
import AttributionStore
import Foundation
import GRDB

/// Repairs single targets within a transaction.
struct TargetedRepair {
    let db: Database
    /// What could be read of damaged tables, before the transaction.
    var remains = RecreatableTables.Remains()

    /// What is rebuilt from the rows and their bytes.
    enum Target: Hashable {
        case row(Int64)
        case changedBit(Int64, bit: Int)
        case receivedAt(Int64, quarter: Int64)
        case keyName(Int64, String)
        case changedID(Int64, stored: Int64, RecreatableTables)
        case copy(Int64, of: Int64, RecreatableTables)
        case lostRow(LostRow)
        case block(Int64)
        case tables(RecreatableTables)
        case strayColumns
        case deliveries(quarter: Int64, traffic: String, recipient: String)
        case quarantineTotal(String)
        case copyWithoutRow(Int64)

        /// The tables in which an id is changed, or taken away.
        var tablesOfID: RecreatableTables? {
            switch self {
            case .changedID(_, _, let tables), .copy(_, _, let tables): tables
            default: nil
            }
        }

        /// Whether it is a row whose time is taken from columns or counts, as that of a lost one is.
        var isChangedTime: Bool {
            if case .receivedAt = self { true } else { false }
        }

        /// The tables that are recreated; their contents are repaired afterwards.
        var tables: RecreatableTables? {
            if case .tables(let tables) = self { tables } else { nil }
        }

        /// The target that repairs a difference; nil if it cannot be repaired.
        init?(_ difference: RecountDifference) {
            switch difference {
            // A file has columns in place of facts.
            case .structure, .missingRow, .noPostbacks, .withoutRow, .countedElsewhere, .unreadable, .unverified,
                .sameKey,
                .facts, .value:
                return nil
            case .lostRow(let row): self = .lostRow(row)
            case .changedID(let id, let stored, let tables): self = .changedID(id, stored: stored, tables)
            case .copy(let id, let other, let tables): self = .copy(id, of: other, tables)
            case .digests(let id): self = .row(id)
            case .changedBit(let id, let bit): self = .changedBit(id, bit: bit)
            case .receivedAt(let id, let quarter, let isCertain):
                guard isCertain else { return nil }
                self = .receivedAt(id, quarter: quarter)
            case .keyName(let id, let name): self = .keyName(id, name)
            case .block(let ids): self = .block(ColumnBlock.number(of: ids.lowerBound))
            case .tables(let tables): self = .tables(tables)
            case .strayColumns: self = .strayColumns
            case .deliveries(let quarter, let traffic, let recipient, _, _):
                self = .deliveries(quarter: quarter, traffic: traffic, recipient: recipient)
            case .implausibleCount(let found):
                guard found.isRecorded, case .delivery(let quarter, _, let traffic, _, let recipient) = found.key else {
                    return nil
                }
                self = .deliveries(quarter: quarter, traffic: traffic, recipient: recipient)
            case .quarantineTotal(let kind): self = .quarantineTotal(kind)
            case .copyWithoutRow(let id): self = .copyWithoutRow(id)
            }
        }
    }

    /// Repairs a target.
    ///
    /// - Returns: The key digests of the rows repaired, for the owner's index.
    func repair(_ target: Target) throws -> [(digest: UInt64, row: Int64)] {
        switch target {
        case .row(let id):
            return try repairRow(id).map { [($0, id)] } ?? []
        case .changedBit(let id, let bit):
            try flip(bit, ofBody: id)
        case .lostRow(let row):
            return try rebuild(row).map { [($0, row.id)] } ?? []
        case .changedID(let id, let stored, let tables):
            return try repairID(id, stored: stored, tables).map { [($0, id)] } ?? []
        case .copy(let id, let other, let tables):
            try deleteCopy(id, of: other, tables)
        case .receivedAt(let id, let quarter):
            let time = quarter.startOfQuarterOfAnHour
            try db.execute(sql: "UPDATE postback SET received_at = ? WHERE id = ?", arguments: [time, id])
        case .keyName(let id, let name):
            try db.execute(sql: "UPDATE postback SET key_name = ? WHERE id = ?", arguments: [name, id])
        case .block(let number):
            return try repairBlock(number)
        case .tables(let tables):
            try tables.recreate(db, keeping: remains)
        case .strayColumns:
            try db.execute(
                sql: "DELETE FROM column_block WHERE id < 0 OR id >= ?",
                arguments: [ColumnBlock.firstID(of: ColumnBlock.number(of: try LedgerScan.newestRow(db) + 1))])
        case .deliveries(let quarter, let traffic, let recipient):
            try repairDeliveries(quarter, traffic, recipient)
        case .quarantineTotal(let kind):
            try db.execute(
                sql: """
                    INSERT INTO quarantine_total
                    SELECT :class, count(*), coalesce(sum(length(body)), 0) FROM quarantine WHERE class = :class
                    ON CONFLICT DO UPDATE SET count = excluded.count, bytes = excluded.bytes
                    """, arguments: ["class": kind])
        case .copyWithoutRow(let id):
            try db.execute(sql: "DELETE FROM recipient_copy WHERE id = ?", arguments: [id])
        }
        return []
    }

    private func repairRow(_ id: Int64) throws -> UInt64? {
        let row = try Row.fetchOne(
            db, sql: "SELECT traffic, body FROM postback JOIN postback_body USING (id) WHERE id = ?", arguments: [id])
        guard let row, let traffic: Traffic = try? row.word(0),
            let postback = try? ReceivedPostback(reading: row.bytes(at: 1))
        else {
            return nil
        }
        let digests = PostbackDigests(postback, provenance: traffic.provenance)
        try db.execute(
            sql: "UPDATE postback SET digest_version = ?, key_digest = ?, content_digest = ? WHERE id = ?",
            arguments: [PostbackDigests.version, Data(digests.key.bytes), Data(digests.content.bytes), id])
        return digests.key.high
    }

    /// Changes a bit of a body, if its digests are those of its row then.
    private func flip(_ bit: Int, ofBody id: Int64) throws {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT key_digest, content_digest, traffic, body FROM postback JOIN postback_body USING (id) WHERE id = ?
                """, arguments: [id])
        guard let row, let digests = try PostbackDigests(row, at: 0), let traffic: Traffic = try? row.word(2),
            case let body = ChangedBit.flipped(bit, of: try row.bytes(at: 3)),
            let postback = try? ReceivedPostback(reading: body),
            digests == PostbackDigests(postback, provenance: traffic.provenance)
        else {
            return
        }
        try db.execute(sql: "UPDATE postback_body SET body = ? WHERE id = ?", arguments: [Data(body), id])
    }

    /// The digests that a row says, if they are those of a body.
    private func digests(ofRow row: Int64, ifBody body: Int64) throws -> PostbackDigests? {
        let found = try Row.fetchOne(
            db,
            sql: """
                SELECT key_digest, content_digest, traffic, body FROM postback JOIN postback_body
                WHERE postback.id = ? AND postback_body.id = ?
                """, arguments: [row, body])
        guard let found, let digests = try PostbackDigests(found, at: 0), let traffic: Traffic = try? found.word(2),
            let postback = try? ReceivedPostback(reading: found.bytes(at: 3)),
            digests == PostbackDigests(postback, provenance: traffic.provenance)
        else {
            return nil
        }
        return digests
    }

    /// Gives a row the id of its body, or a body that of its row.
    private func repairID(_ id: Int64, stored: Int64, _ tables: RecreatableTables) throws -> UInt64? {
        let (row, body) = tables == .postbacks ? (stored, id) : (id, stored)
        guard let table = tables.names.tables.first, let digests = try digests(ofRow: row, ifBody: body) else {
            return nil
        }
        try db.execute(sql: "UPDATE OR IGNORE \(table) SET id = ? WHERE id = ?", arguments: [id, stored])
        return digests.key.high
    }

    /// Deletes a row or a body of a postback that has both under another id.
    private func deleteCopy(_ id: Int64, of other: Int64, _ tables: RecreatableTables) throws {
        let (row, body) = tables == .postbacks ? (id, other) : (other, id)
        guard let table = tables.names.tables.first, try digests(ofRow: other, ifBody: other) != nil,
            try digests(ofRow: row, ifBody: body) != nil, try digests(ofRow: id, ifBody: id) == nil
        else {
            return
        }
        try db.execute(sql: "DELETE FROM \(table) WHERE id = ?", arguments: [id])
    }

    /// Rebuilds a row from its body and what else is known of it, as recorded with the one before if nothing tells when.
    private func rebuild(_ lost: LostRow) throws -> UInt64? {
        let body = try Row.fetchOne(db, sql: "SELECT body FROM postback_body WHERE id = ?", arguments: [lost.id])
        guard let body, let postback = try? ReceivedPostback(reading: body.bytes(at: 0)) else {
            return nil
        }
        let digests = PostbackDigests(postback, provenance: lost.traffic.provenance)
        try db.execute(
            sql: """
                INSERT INTO postback (
                    id, recorded_at, received_at, recipient, traffic, key_name, digest_version, key_digest,
                    content_digest
                ) VALUES (
                    :id,
                    coalesce(
                        :recorded,
                        (SELECT recorded_at FROM postback WHERE id < :id ORDER BY id DESC LIMIT 1),
                        (SELECT recorded_at FROM postback WHERE id > :id ORDER BY id LIMIT 1), :received),
                    :received, :recipient, :traffic, :key, :version, :digest, :content
                ) ON CONFLICT (id) DO NOTHING
                """,
            arguments: [
                "id": lost.id, "recorded": lost.recordedAtMilliseconds, "received": lost.receivedAtMilliseconds,
                "recipient": lost.recipient.rawValue,
                "traffic": lost.traffic.rawValue, "key": lost.keyName, "version": PostbackDigests.version,
                "digest": Data(digests.key.bytes), "content": Data(digests.content.bytes),
            ])
        return digests.key.high
    }

    /// Derives what cannot be read of a block from rows whose bytes are proven, and keeps the rest.
    private func repairBlock(_ number: Int64) throws -> [(digest: UInt64, row: Int64)] {
        let ids = ColumnBlock.ids(number)
        let stored = try StoredBlock(number, try ColumnBlockReader(db))
        var codes = try ColumnCodes(db)
        var values = try ColumnDerivation(db: db, columns: LedgerColumn.all, isProven: true).values(ids, &codes)
        for index in 0..<values.count {
            values.set(stored.merged(with: values.row(at: index), at: index, codes), at: index)
        }
        try codes.write(db)
        for column in LedgerColumn.all {
            try EncodedColumn(values[column]).write(number, column, db)
        }
        return zip(ids, values[.key]).map { (UInt64(bitPattern: $1), $0) }
    }

    private func repairDeliveries(_ quarter: Int64, _ traffic: String, _ recipient: String) throws {
        let length = LedgerTime.quarterMilliseconds
        guard abs(quarter / 2) < Int64.max / length / 2 else {
            // Not a valid time.
            try db.execute(sql: "DELETE FROM delivery WHERE quarter = ? AND status = 'recorded'", arguments: [quarter])
            return
        }
        var ids: ClosedRange<Int64> = 0...0
        let query = PostbackQuery(received: (quarter * length)..<((quarter + 1) * length))
        try query.candidates(db) { range in
            ids = (ids.upperBound == 0 ? range.lowerBound : ids.lowerBound)...range.upperBound
            return true
        }
        try db.execute(
            sql: """
                INSERT INTO delivery (quarter, status, traffic, reason, recipient, count, kept)
                SELECT :quarter, 'recorded', :traffic, '', :recipient, count(*), count(*) FROM postback
                WHERE id BETWEEN :first AND :last AND received_at >= :start AND received_at < :end
                    AND traffic = :traffic AND recipient = :recipient
                ON CONFLICT DO UPDATE SET count = excluded.count, kept = excluded.kept
                """,
            arguments: [
                "quarter": quarter, "traffic": traffic, "recipient": recipient, "start": quarter * length,
                "end": (quarter + 1) * length, "first": ids.lowerBound, "last": ids.upperBound,
            ])
    }
}
