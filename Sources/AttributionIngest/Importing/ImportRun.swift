import Attribution
import AttributionSigning
import AttributionStore
import StrictJSON

/// Some records of a file, taken apart and judged.
struct JudgedRecords: Sendable {
    var deliveries: [Delivery] = []
    /// Of each delivery.
    var numbers: [Int] = []
    var unreadable: [(number: Int, reason: String)] = []
    var withoutBody = 0
    /// Records that an earlier import read, and could use.
    var readBefore = 0
    /// How many records are done with.
    var count = 0
    /// Why the first record that should be a delivery is none, where it lacks a time.
    var untimed: (number: Int, problem: ImportRecord.Problem)?
    /// Why a signature could not be verified.
    var undecided: String?

    /// Looks once more at records that an earlier import read: what cannot be used is named each time.
    init(readBefore records: [RawRecord], _ reader: RecordReader) {
        for record in records {
            switch reader.read(record) {
            case .unreadable(let problem):
                unreadable.append((record.number, problem.description))
            case .delivery(let body, _, _):
                if let error = Self.jsonError(in: body) {
                    unreadable.append((record.number, "the body: \(error)"))
                } else {
                    readBefore += 1
                }
            case .withoutBody:
                readBefore += 1
            }
        }
    }

    private static func jsonError(in body: [UInt8]) -> JSONError? {
        do throws(PostbackRejection) {
            _ = try ReceivedPostback(reading: body)
        } catch .notJSON(let error) {
            return error
        } catch {
            return nil
        }
        return nil
    }

    init(_ records: [RawRecord], _ reader: RecordReader, _ verifier: PostbackVerifier) {
        var bodies: [[UInt8]] = []
        var read: [(number: Int, time: Int64, recipient: Delivery.Recipient)] = []
        for record in records {
            count += 1
            switch reader.read(record) {
            case .delivery(let body, let time, let recipient):
                bodies.append(body)
                read.append((record.number, time, recipient))
            case .withoutBody:
                withoutBody += 1
                count -= record.isUnfinished ? 1 : 0
            case .unreadable(let problem):
                if case .noTime = problem, read.isEmpty, unreadable.isEmpty {
                    untimed = (record.number, problem)
                }
                unreadable.append((record.number, problem.description))
                // The rest of it may come: the next import reads it again.
                count -= record.isUnfinished ? 1 : 0
            }
        }
        deliveries.reserveCapacity(read.count)
        for (record, judgement) in zip(read, verifier.judge(bodies)) {
            switch judgement {
            case .rejected(.notJSON(let error), _):
                // As the listener refuses it.
                unreadable.append((record.number, "the body: \(error)"))
                count -= records.last.map { $0.isUnfinished && $0.number == record.number } == true ? 1 : 0
            case .undecided(let reason, _):
                undecided = reason
            case .verified, .rejected:
                deliveries.append(
                    Delivery(
                        judgement: judgement, recipient: record.recipient, receivedAtMilliseconds: record.time))
                numbers.append(record.number)
            }
        }
        unreadable.sort { $0.number < $1.number }
    }
}

/// The import of one file while it goes on.
struct ImportRun {
    let file: ImportFile
    let ledger: any LedgerImporting
    /// How far the file was read; nil where that is not kept.
    var source: ImportedFile?
    var tally = ImportTally()
    private(set) var deliveries: [Delivery] = []
    private var numbers: [Int] = []
    private var count = 0
    private var untimed: (number: Int, problem: ImportRecord.Problem)?
    private var undecided: String?

    init(file: ImportFile, ledger: any LedgerImporting) {
        self.file = file
        self.ledger = ledger
    }

    /// Takes the next records.
    mutating func take(_ records: JudgedRecords) {
        if deliveries.isEmpty, tally.total == tally.withoutBody {
            untimed = records.untimed
        }
        undecided = undecided ?? records.undecided
        deliveries += records.deliveries
        numbers += records.numbers
        count += records.count
        tally.withoutBody += records.withoutBody
        tally.readBefore += records.readBefore
        for (number, reason) in records.unreadable {
            tally.countUnreadable(reason, number: number)
        }
    }

    /// Refuses a file whose first delivery does not say when it was received: then none does.
    func checkBeginning() throws(ImportFailure) {
        if let untimed {
            throw ImportFailure(
                "\(file.name), \(file.input.recordName) \(untimed.number): \(untimed.problem)",
                hint: "--received-field NAME names it, and --received TIME says one for all")
        }
        if let undecided {
            throw ImportFailure("a signature could not be verified: \(undecided)", hint: "skan selftest")
        }
    }

    /// Records what was taken, together with how far the file was read.
    mutating func record() throws {
        guard count > 0 else {
            return
        }
        source?.records += Int64(count)
        // What is written to a file while it is read is not what its digest stands for: see `finish`.
        let imported = try ledger.record(deliveries, importing: file.hasChanged ? nil : source)
        for (imported, number) in zip(imported, numbers) {
            tally.count(imported, number: number)
        }
        deliveries.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Notes that the file was read to its end, if what was read is what its digest was made of.
    ///
    /// - Throws: ``ImportFailure`` if the file was changed meanwhile; then nothing is noted of it, so that the next import
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
            throw ImportFailure(
                "\(file.name) was changed while it was read; what was recorded of it stays",
                hint: "import it again when nothing writes to it")
        }
    }
}
