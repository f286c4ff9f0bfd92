import Attribution
import AttributionSigning
import AttributionStore
import StrictJSON

/// Some records of a file, read and judged.
struct JudgedRecords: Sendable {
    private(set) var deliveries: [Delivery] = []
    /// Of each delivery.
    private(set) var numbers: [Int] = []
    private(set) var unreadable: [ImportProblem] = []
    private(set) var withoutBody = 0
    /// Records that an earlier import read, and could use.
    private(set) var readBefore = 0
    /// Deliveries of which the signature decided how the cells are read.
    private(set) var proven = 0
    /// How many records are done with.
    private(set) var count = 0
    /// The first record, if it should be a delivery and lacks a time.
    private(set) var untimed: ImportProblem?
    /// Why a signature could not be verified.
    private(set) var undecided: String?

    /// Looks once more at records that an earlier import read: what cannot be used is named each time.
    init(readBefore records: [RawRecord], _ reader: RecordReader) {
        for record in records {
            for read in reader.read(record) {
                lookAgain(at: read, record.number)
            }
        }
    }

    private mutating func lookAgain(at read: ImportRecord, _ number: Int) {
        switch read {
        case .unreadable(let problem):
            unreadable.append(ImportProblem(number: number, reason: problem.description))
        case .delivery(let body, _, _, _):
            do throws(PostbackRejection) {
                _ = try ReceivedPostback(reading: body)
                readBefore += 1
            } catch .notJSON(let error) {
                unreadable.append(ImportProblem(number: number, reason: "the body: \(error)"))
            } catch {
                readBefore += 1
            }
        case .withoutBody:
            readBefore += 1
        }
    }

    init(_ records: [RawRecord], _ reader: RecordReader, _ verifier: PostbackVerifier) {
        var bodies: [ReceivedBody] = []
        var read: [(record: RawRecord, time: Int64, recipient: Delivery.Recipient, others: [[UInt8]])] = []
        // The rest of an unfinished record may come: the next import reads it again.
        var again: Set<Int> = []
        for (record, content) in records.lazy.flatMap({ record in reader.read(record).map { (record, $0) } }) {
            switch content {
            case .delivery(let body, let time, let recipient, let others):
                bodies.append(ReceivedBody(body, receivedAtMilliseconds: time))
                read.append((record, time, recipient, others))
            case .withoutBody:
                withoutBody += 1
                if record.isUnfinished { again.insert(record.number) }
            case .unreadable(let problem):
                let isFirst = read.isEmpty && unreadable.isEmpty
                unreadable.append(ImportProblem(number: record.number, reason: problem.description))
                if case .noTime = problem, isFirst {
                    untimed = unreadable.last
                }
                if record.isUnfinished { again.insert(record.number) }
            }
        }
        for ((record, time, recipient, others), judgement) in zip(read, verifier.judge(bodies)) {
            let verified = Self.verified(of: others, instead: judgement, receivedAt: time, verifier)
            proven += verified == nil ? 0 : 1
            let judgement = verified ?? judgement
            switch judgement {
            case .rejected(.notJSON(let error), _):
                // As the listener refuses it.
                unreadable.append(ImportProblem(number: record.number, reason: "the body: \(error)"))
                if record.isUnfinished { again.insert(record.number) }
            case .undecided(let reason, _):
                undecided = reason
            case .verified, .rejected:
                deliveries.append(
                    Delivery(judgement: judgement, recipient: recipient, receivedAtMilliseconds: time))
                numbers.append(record.number)
            }
        }
        count = records.count - again.count
        unreadable.sort { $0.number < $1.number }
    }
}

extension JudgedRecords {
    /// The judgement on the one of several readings that verifies; nil if none does, or the first does.
    private static func verified(
        of others: [[UInt8]], instead first: Judgement, receivedAt time: Int64, _ verifier: PostbackVerifier
    ) -> Judgement? {
        guard case .rejected = first, !others.isEmpty else {
            return nil
        }
        let bodies = others.map { ReceivedBody($0, receivedAtMilliseconds: time) }
        return verifier.judge(bodies).first { if case .verified = $0 { true } else { false } }
    }
}

/// The import of one file while it goes on.
struct ImportRun {
    let file: ImportFile
    let ledger: any LedgerImporting
    /// How far the file was read; nil where that is not kept.
    var source: ImportedFile?
    private(set) var tally = ImportTally()
    private(set) var deliveries: [Delivery] = []
    private var numbers: [Int] = []
    private var count = 0

    init(file: ImportFile, ledger: any LedgerImporting) {
        self.file = file
        self.ledger = ledger
    }

    /// Takes the next records.
    ///
    /// - Throws: ``Refusal`` for a file whose first delivery does not say when it was received: then none does.
    mutating func take(_ records: JudgedRecords) throws(Refusal) {
        if deliveries.isEmpty, tally.total == tally[.withoutBody], let untimed = records.untimed {
            throw Refusal(
                .malformedFile, "\(file.name), \(file.recordName) \(untimed.number): \(untimed.reason)",
                hint: "--received-field NAME names it, and --received TIME says one for all")
        }
        if let undecided = records.undecided {
            throw Refusal(.malformedFile, "a signature could not be verified: \(undecided)", hint: "skan selftest")
        }
        deliveries += records.deliveries
        numbers += records.numbers
        count += records.count
        tally.count(.withoutBody, records.withoutBody)
        tally.count(.readBefore, records.readBefore)
        tally.proven += records.proven
        for problem in records.unreadable {
            tally.count(.unreadable, problem)
        }
    }

    /// Records what was taken, together with how far the file was read.
    mutating func record() throws {
        guard count > 0 else {
            return
        }
        source?.records += Int64(count)
        // What is written to a file while it is read is not what its digest is of: see `finish`.
        let imported = try ledger.record(deliveries, importing: file.hasChanged ? nil : source)
        for (imported, number) in zip(imported, numbers) {
            tally.count(imported, number: number)
        }
        (deliveries, numbers, count) = ([], [], 0)
    }

    /// Notes that the file was read to its end, if what was read is what its digest was made of.
    ///
    /// - Throws: ``Refusal`` if the file was changed meanwhile; then nothing is noted of it, so that the next import
    ///   skips no record of the file it should have been.
    func finish() throws {
        guard var source else {
            return
        }
        let isWhole = file.digest == source.digest
        if !isWhole {
            source.records = 0
        }
        _ = try ledger.record([], importing: source)
        guard isWhole else {
            throw Refusal(
                .malformedFile, "\(file.name) was changed while it was read; what was recorded of it stays",
                hint: "import it again when nothing writes to it")
        }
    }
}
