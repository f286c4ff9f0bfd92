import AttributionStore
import Foundation
import StrictJSON

/// A file to import, cut into records; neither its size nor what is in it matters to memory.
package final class ImportFile {
    /// Its path; `-` for standard input.
    package let name: String
    /// Its form.
    package let input: ImportInput
    /// The columns, in CSV, after ``readHeader()``.
    private(set) var header: CSVHeader?
    private let stream: DigestedStream
    private var pending: [UInt8]
    private var splitter: any RecordSplitter
    private var isAtEnd = false

    /// How many records are judged together.
    private static let batch = 1_024
    private static let batchBytes = 1 << 20

    /// Opens a file and finds out what it is.
    ///
    /// - Parameters:
    ///   - name: The path; `-` for standard input.
    ///   - input: Its form; nil to find out.
    /// - Throws: ``ImportFailure`` for one that cannot be read, or is none of the forms.
    package init(_ name: String, as input: ImportInput? = nil) throws(ImportFailure) {
        self.name = name
        stream = try DigestedStream(name)
        pending = try Self.beginning(stream)
        let form: ImportInput
        if let input {
            form = input
        } else {
            form = try ImportInput(of: pending, name: name)
        }
        self.input = form
        splitter = form == .json ? ObjectSplitter() : LineSplitter(hasQuotes: form == .csv)
    }

    /// Reads the header of CSV; other forms have none.
    func readHeader() throws(ImportFailure) {
        guard input == .csv, header == nil else {
            return
        }
        guard let first = try nextRecord() else {
            throw ImportFailure("\(name) is empty", hint: "expected a header with the names of columns")
        }
        // Part of a header would be another one.
        if let problem = first.problem {
            throw ImportFailure("\(name), \(recordName) \(first.number): \(problem)")
        }
        guard !first.isUnfinished else {
            throw ImportFailure(
                "\(name) ends within its header, which may be cut off", hint: "add a newline if it is whole")
        }
        header = CSVHeader(first.bytes)
    }

    /// The first bytes, without a byte order mark.
    private static func beginning(_ stream: DigestedStream) throws(ImportFailure) -> [UInt8] {
        var head: [UInt8] = []
        while head.count < 1 << 16, let bytes = try stream.next() {
            head += bytes
        }
        if head.starts(with: [0xEF, 0xBB, 0xBF]) {
            head.removeFirst(3)
        }
        return head
    }

    /// Finds out how far it was imported before.
    ///
    /// A file that has grown since is known by its beginning.
    ///
    /// - Parameter files: What was imported.
    /// - Returns: What is to be noted of it; nil for what cannot be read twice.
    /// - Throws: ``ImportFailure`` when it cannot be read.
    func identified(among files: [ImportedFile]) throws(ImportFailure) -> ImportedFile? {
        guard let size = stream.file.size else {
            return nil
        }
        let known = files.filter { $0.bytes <= size }
        guard let digests = try stream.digests(Array(Set(known.map(\.bytes))).sorted()), let digest = digests[size]
        else {
            return nil
        }
        let records = known.filter { digests[$0.bytes] == $0.digest }.map(\.records).max() ?? 0
        pending = try Self.beginning(stream)
        return ImportedFile(digest: digest, bytes: size, records: records)
    }

    /// Whether it was written to since it was opened.
    var hasChanged: Bool {
        stream.file.hasChanged
    }

    /// The digest of what was read of it.
    var digest: [UInt8] {
        stream.digest
    }

    /// What one of its records is called in messages.
    package var recordName: String {
        input.recordName
    }

    /// How many bytes it has; nil where that is not known.
    var size: Int64? {
        stream.file.size
    }

    /// The next records; nil at the end.
    func next() throws(ImportFailure) -> [RawRecord]? {
        var batch: [RawRecord] = []
        var bytes = 0
        while batch.count < Self.batch, bytes < Self.batchBytes, let record = try nextRecord() {
            bytes += record.bytes.count
            batch.append(record)
        }
        return batch.isEmpty ? nil : batch
    }

    /// The bodies of the file and when they were received, record by record.
    ///
    /// - Parameters:
    ///   - options: How it is to be read.
    ///   - use: Takes each record with its number.
    /// - Throws: ``ImportFailure``, and what `use` throws.
    package func eachRecord(_ options: ImportOptions, _ use: (Int, ImportRecord) async throws -> Void) async throws {
        try readHeader()
        let reader: RecordReader
        do throws(ImportRecord.Problem) {
            reader = try RecordReader(self, options)
        } catch {
            throw ImportFailure("\(name): \(error)")
        }
        while let records = try next() {
            for record in records {
                try await use(record.number, reader.read(record))
            }
        }
    }

    private func nextRecord() throws(ImportFailure) -> RawRecord? {
        while true {
            if let record = splitter.next() {
                return record
            }
            guard !isAtEnd else {
                return nil
            }
            if !pending.isEmpty {
                splitter.append(pending)
                pending = []
            } else if let bytes = try stream.next() {
                splitter.append(bytes)
            } else {
                isAtEnd = true
                splitter.finish()
            }
        }
    }

    /// How much of it was read, for a person; empty when its size is not known.
    var progress: String {
        stream.file.progress
    }
}

/// Cuts a stream of bytes into records.
protocol RecordSplitter {
    /// Appends bytes.
    mutating func append(_ bytes: [UInt8])

    /// Says that no more bytes follow.
    mutating func finish()

    /// The next record; nil when more bytes are needed, or at the end.
    mutating func next() -> RawRecord?
}

/// Cuts JSON into objects, also those of arrays.
private struct ObjectSplitter: RecordSplitter {
    private var objects = JSONObjectSplitter(entersArrays: true)
    private var count = 0
    private var isAtEnd = false
    /// Whether it was said that an array has no end.
    private var isEndMissing = false

    mutating func append(_ bytes: [UInt8]) {
        objects.append(bytes)
    }

    mutating func finish() {
        isAtEnd = true
        objects.finish()
    }

    mutating func next() -> RawRecord? {
        guard let record = objects.next() else {
            return missingEnd()
        }
        count += 1
        // The last one may go on in a longer file.
        var rest = objects
        return RawRecord(
            number: count, bytes: record.bytes, isCut: record.count > record.bytes.count,
            isUnfinished: isAtEnd && rest.next() == nil)
    }

    /// What is said, once, of an array that does not end.
    private mutating func missingEnd() -> RawRecord? {
        guard isAtEnd, objects.isInsideArray, !isEndMissing else {
            return nil
        }
        isEndMissing = true
        return RawRecord(
            number: count + 1, bytes: [], isCut: false, isUnfinished: true,
            problem: .malformed("the array does not end: the file may have been cut off"))
    }
}
