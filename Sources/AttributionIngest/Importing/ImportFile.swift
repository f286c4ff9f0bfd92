import AttributionStore
import Foundation
import StrictJSON

/// A file to import, cut into records; neither its size nor what is in it matters to memory.
package final class ImportFile {
    /// Its path; `-` for standard input.
    package let name: String
    /// Its form.
    package let input: ImportInput
    /// The columns, in CSV.
    let header: CSVHeader?
    private let stream: DigestedStream
    private var pending: [UInt8]
    private var splitter: Splitter
    private var isAtEnd = false
    /// Whether its array was found to have no end.
    private var isEndMissing = false
    private var count = 0

    private enum Splitter {
        case lines(LineSplitter)
        case objects(JSONObjectSplitter)
    }

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
        let stream = try DigestedStream(name)
        self.stream = stream
        (pending, self.input) = try Self.begin(stream, input)
        splitter = Self.splitter(self.input)
        header = nil
    }

    private init(_ file: ImportFile, header: CSVHeader) {
        name = file.name
        input = file.input
        stream = file.stream
        pending = file.pending
        splitter = file.splitter
        isAtEnd = file.isAtEnd
        self.header = header
    }

    /// The file after its header, in CSV; itself in other forms.
    func afterHeader() throws(ImportFailure) -> ImportFile {
        guard input == .csv, header == nil else {
            return self
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
        return ImportFile(self, header: CSVHeader(first.bytes))
    }

    private static func begin(
        _ stream: DigestedStream, _ input: ImportInput?
    ) throws(ImportFailure) -> ([UInt8], ImportInput) {
        var head: [UInt8] = []
        while head.count < 1 << 16, let bytes = try stream.next() {
            head += bytes
        }
        if head.starts(with: [0xEF, 0xBB, 0xBF]) {
            head.removeFirst(3)
        }
        return (head, try form(of: head, stream.name, input))
    }

    private static func form(
        of head: [UInt8], _ name: String, _ input: ImportInput?
    ) throws(ImportFailure) -> ImportInput {
        guard let input else {
            return try InputSign.input(of: head, name: name)
        }
        return input
    }

    private static func splitter(_ input: ImportInput) -> Splitter {
        input == .json
            ? .objects(JSONObjectSplitter(entersArrays: true)) : .lines(LineSplitter(hasQuotes: input == .csv))
    }

    /// Finds out how far it was imported before.
    ///
    /// A file that has grown since is known by its beginning.
    ///
    /// - Parameter files: What was imported.
    /// - Returns: What is to be noted of it; nil for what cannot be read twice.
    /// - Throws: ``ImportFailure`` when it cannot be read.
    func identified(among files: [ImportedFile]) throws(ImportFailure) -> ImportedFile? {
        guard let size = stream.size else {
            return nil
        }
        let known = files.filter { $0.bytes <= size }
        guard let digests = try stream.digests(Array(Set(known.map(\.bytes))).sorted()), let digest = digests[size]
        else {
            return nil
        }
        let records = known.filter { digests[$0.bytes] == $0.digest }.map(\.records).max() ?? 0
        (pending, _) = try Self.begin(stream, input)
        return ImportedFile(digest: digest, bytes: size, records: records)
    }

    /// Whether it was written to since it was opened.
    var hasChanged: Bool {
        stream.hasChanged
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
        stream.size
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
        let file = try afterHeader()
        let reader: RecordReader
        do throws(ImportRecord.Problem) {
            reader = try RecordReader(file, options)
        } catch {
            throw ImportFailure("\(name): \(error)")
        }
        while let records = try file.next() {
            for record in records {
                try await use(record.number, reader.read(record))
            }
        }
    }

    private func nextRecord() throws(ImportFailure) -> RawRecord? {
        while true {
            if let record = cut() {
                return record
            }
            guard !isAtEnd else {
                return missingEnd()
            }
            if !pending.isEmpty {
                append(pending)
                pending = []
            } else if let bytes = try stream.next() {
                append(bytes)
            } else {
                isAtEnd = true
                finish()
            }
        }
    }

    private func cut() -> RawRecord? {
        switch splitter {
        case .lines(var lines):
            splitter = .lines(LineSplitter(hasQuotes: false))
            defer { splitter = .lines(lines) }
            return lines.next()
        case .objects(var objects):
            splitter = .lines(LineSplitter(hasQuotes: false))
            defer { splitter = .objects(objects) }
            guard let record = objects.next() else {
                return nil
            }
            count += 1
            // The last one may go on in a longer file.
            var rest = objects
            return RawRecord(
                number: count, bytes: record.bytes, isCut: record.count > record.bytes.count,
                isUnfinished: isAtEnd && rest.next() == nil)
        }
    }

    /// What is said, once, of an array that does not end: the file may have been cut off.
    private func missingEnd() -> RawRecord? {
        guard case .objects(let objects) = splitter, objects.isInsideArray, !isEndMissing else {
            return nil
        }
        isEndMissing = true
        return RawRecord(
            number: count + 1, bytes: [], isCut: false, isUnfinished: true,
            problem: .malformed("the array does not end: the file may have been cut off"))
    }

    private func append(_ bytes: [UInt8]) {
        switch splitter {
        case .lines(var lines):
            splitter = .lines(LineSplitter(hasQuotes: false))
            lines.append(bytes)
            splitter = .lines(lines)
        case .objects(var objects):
            splitter = .lines(LineSplitter(hasQuotes: false))
            objects.append(bytes)
            splitter = .objects(objects)
        }
    }

    private func finish() {
        switch splitter {
        case .lines(var lines):
            lines.finish()
            splitter = .lines(lines)
        case .objects(var objects):
            objects.finish()
            splitter = .objects(objects)
        }
    }

    /// How much of it was read, for a person; empty when its size is not known.
    var progress: String {
        stream.progress
    }
}
