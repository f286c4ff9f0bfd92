package import Attribution
import AttributionStore
import Platform
import StrictJSON

/// A file to import, cut into records; neither its size nor what is in it matters to memory.
package final class ImportFile {
    /// Its path; `-` for standard input.
    package let name: String
    package let input: ImportInput
    /// The columns, in CSV, after ``readHeader()``.
    private(set) var header: CSVHeader?
    private let stream: FileStream
    /// Over the bytes read since the beginning.
    private var hash = SHA256()
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
    /// - Throws: ``Refusal`` for one that cannot be read, or is none of the forms.
    package init(_ name: String, as input: ImportInput? = nil) throws(Refusal) {
        self.name = name
        stream = try FileStream(name)
        pending = try Self.beginning(stream, &hash)
        let form: ImportInput
        try ImportInput.refuse(pending, name)
        if let input { form = input } else { form = try ImportInput(of: pending, name: name) }
        self.input = form
        splitter = form == .json ? ObjectSplitter() : LineSplitter(hasQuotes: form == .csv)
    }

    /// Reads the header of CSV; other forms have none.
    func readHeader() throws(Refusal) {
        guard input == .csv, header == nil else {
            return
        }
        guard let first = try nextRecord() else {
            throw Refusal(.malformedFile, "\(name) is empty", hint: "expected a header with the names of columns")
        }
        // Part of a header would be another one.
        if let problem = first.problem {
            throw Refusal(.malformedFile, "\(name), \(recordName) \(first.number): \(problem)")
        }
        guard !first.isUnfinished else {
            throw Refusal(
                .malformedFile, "\(name) ends within its header, which may be cut off",
                hint: "add a newline if it is whole")
        }
        header = CSVHeader(first.bytes)
    }

    /// The first bytes, without a byte order mark.
    private static func beginning(_ stream: FileStream, _ hash: inout SHA256) throws(Refusal) -> [UInt8] {
        var head: [UInt8] = []
        while head.count < 1 << 16, let bytes = try stream.next(over: &hash) {
            head += bytes
        }
        if head.starts(with: [0xEF, 0xBB, 0xBF]) {
            head.removeFirst(3)
        }
        return head
    }

    /// Finds out how far it was imported before; a file that has grown since is known by its beginning.
    ///
    /// - Returns: What is to be noted of it; nil for what cannot be read twice.
    func identified(among files: [ImportedFile]) throws(Refusal) -> ImportedFile? {
        guard let size = stream.size, rewind() else {
            return nil
        }
        var digests: [Int64: [UInt8]] = [:]
        for length in Set(files.map(\.bytes).filter { $0 <= size }).sorted() + [size] {
            while try stream.next(upTo: length, over: &hash) != nil {}
            if stream.position == length {
                digests[length] = digest
            }
        }
        guard rewind(), let digest = digests[size] else {
            return nil
        }
        pending = try Self.beginning(stream, &hash)
        return ImportedFile(
            digest: digest, bytes: size,
            records: files.filter { digests[$0.bytes] == $0.digest }.map(\.records).max() ?? 0)
    }

    private func rewind() -> Bool {
        hash = SHA256()
        return stream.rewind()
    }

    /// Whether it was written to since it was opened.
    var hasChanged: Bool {
        stream.hasChanged
    }

    /// The digest of what was read of it.
    var digest: [UInt8] {
        hash.digestSoFar().bytes
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
    func next() throws(Refusal) -> [RawRecord]? {
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
    /// - Throws: ``Refusal``, and what `use` throws.
    package func eachRecord(_ options: ImportOptions, _ use: (Int, ImportRecord) async throws -> Void) async throws {
        try readHeader()
        let reader: RecordReader
        do throws(ImportRecord.Problem) {
            reader = try RecordReader(self, options)
        } catch {
            throw Refusal(.malformedFile, "\(name): \(error)", hint: error.hintForFile)
        }
        while let records = try next() {
            for record in records {
                for read in reader.read(record) {
                    try await use(record.number, read)
                }
            }
        }
    }

    private func nextRecord() throws(Refusal) -> RawRecord? {
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
            } else if let bytes = try stream.next(over: &hash) {
                splitter.append(bytes)
            } else {
                isAtEnd = true
                splitter.finish()
            }
        }
    }

    /// How much of it was read, for a person; empty when its size is not known.
    var progress: String {
        stream.progress
    }
}

/// Cuts a stream of bytes into records.
protocol RecordSplitter {
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

extension FileStream {
    /// The next bytes up to an offset, hashed; nil when there are none, or only what was appended meanwhile.
    fileprivate func next(upTo end: Int64 = .max, over hash: inout SHA256) throws(Refusal) -> [UInt8]? {
        let bytes = try next(upTo: min(end, size ?? .max) - position)
        bytes.map { hash.update($0) }
        return bytes
    }
}
