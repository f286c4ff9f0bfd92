import Attribution
import Foundation

/// A file of postbacks, read as a stream of batches; its size does not matter to memory.
final class RecordFile {
    private let name: String
    private let file: FileHandle
    private let size: UInt64?
    private var position: UInt64 = 0
    private var splitter = JSONObjectSplitter()
    private var records: [[UInt8]] = []
    private var isAtEnd = false

    /// How many postbacks make a batch: enough to share the work of verifying them.
    private static let batch = 1_024
    /// How many bytes are read at a time.
    private static let chunk = 1 << 20

    /// Opens a file, or standard input for `-`.
    init(_ name: String) throws {
        self.name = name
        if name == "-" {
            file = .standardInput
            size = nil
            return
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder), !isFolder.boolValue,
            let file = FileHandle(forReadingAtPath: name)
        else {
            throw CommandFailure("cannot read \(name)", hint: "check the path and who may read it")
        }
        self.file = file
        size = try? FileManager.default.attributesOfItem(atPath: name)[.size] as? UInt64
    }

    /// The next batch, or nil at the end.
    func next() throws -> [[UInt8]]? {
        while records.count < Self.batch, !isAtEnd {
            let data: Data?
            do {
                data = try file.read(upToCount: Self.chunk)
            } catch {
                throw CommandFailure("cannot read \(name) to its end", hint: "\(error)")
            }
            if let data, !data.isEmpty {
                position += UInt64(data.count)
                records += splitter.split(data)
            } else {
                isAtEnd = true
                records += splitter.finish()
            }
        }
        guard !records.isEmpty else {
            return nil
        }
        let batch = Array(records.prefix(Self.batch))
        records.removeFirst(batch.count)
        return batch
    }

    /// How much of the file was read, for a person; empty when its size is not known.
    var progress: String {
        guard let size, size > 0 else {
            return ""
        }
        return ", \(position * 100 / size) % read"
    }
}
