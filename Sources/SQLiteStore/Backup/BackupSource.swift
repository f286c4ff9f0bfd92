import AttributionStore
import CheckedFiles
import Foundation
import GRDB

/// A database opened to be copied; it is not modified, whether or not it has an owner.
struct BackupSource {
    /// The file, with links resolved.
    let path: String
    private let file: StoreFile

    /// Names the database.
    ///
    /// - Throws: ``AttributionStore/StoreError/missing(path:)``, and other errors if the file is not a database of this
    ///   kind.
    init(_ path: String, _ schema: StoreSchema) throws(StoreError) {
        guard FileStatus(path: path) != nil else {
            throw .missing(path: path)
        }
        self.path = try ResolvedPath(store: path).text
        file = try StoreFile.open(self.path, isWritable: false)
        guard !file.isEmpty else {
            throw .notAStore(path: path)
        }
        try schema.check(file, path: path)
    }

    /// Reads in one transaction, so that `work` sees a consistent snapshot.
    func read<Result>(_ work: (Database) throws -> Result) throws -> Result {
        try StoreError.translating(path) {
            let location = try ReadingLocation(file, path: path)
            defer { location.lease?.release() }
            var configuration = Configuration()
            configuration.label = "skan-backup"
            configuration.readonly = true
            configuration.busyMode = .timeout(10)
            let connection = try DatabaseQueue(path: location.name, configuration: configuration)
            defer { try? connection.close() }
            return try connection.read(work)
        }
    }
}
