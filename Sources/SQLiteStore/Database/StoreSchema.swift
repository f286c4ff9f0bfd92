import AttributionStore

/// The schema of one kind of file.
struct StoreSchema: Sendable {
    /// `application_id`, which identifies the file before SQLite opens it.
    let applicationID: UInt32
    /// `user_version`.
    let version: UInt32
    /// The statements that create the tables in an empty file.
    let sql: String

    /// The tables of every file, whatever its kind.
    private static let owner = """
        -- Incremented by each process that takes over the file; a process that finds another epoch stops writing.
        CREATE TABLE owner (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch INTEGER NOT NULL,
            store TEXT NOT NULL -- identifies the file, so that positions of another store are refused
        ) STRICT;
        INSERT INTO owner VALUES (1, 0, lower(hex(randomblob(4))));

        -- Written while commits fail, with as many pages as a batch, to find out whether a batch would fit again.
        CREATE TABLE probe (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            bytes BLOB NOT NULL
        ) STRICT;
        INSERT INTO probe VALUES (1, x'');

        """

    /// Creates a schema.
    init(applicationID: UInt32, version: UInt32, tables: String) {
        self.applicationID = applicationID
        self.version = version
        sql = Self.owner + tables
    }

    /// Checks that a file has this schema; an empty file is a new store.
    func check(_ file: StoreFile, path: String) throws(StoreError) {
        guard !file.isEmpty else {
            return
        }
        let header = file.header()
        guard header.isDatabase else {
            throw .notAStore(path: path)
        }
        let isCopy = header.applicationID == Self.ofCopy(applicationID)
        guard header.applicationID == applicationID || isCopy else {
            throw .foreignDatabase(path: path)
        }
        guard header.schemaVersion <= version else {
            throw .newerSchema(path: path)
        }
        guard header.schemaVersion == version else {
            throw .olderSchema(path: path)
        }
        // A copy has no log until an owner takes it over, and SQLite would play one that is there over it.
        guard !isCopy || (FileStatus(path: path + "-wal")?.size ?? 0) == 0 else {
            throw .copyWithLog(path: path)
        }
    }

    /// Makes a copy a store of its own, before SQLite opens it as its owner.
    func takeOverCopy(_ file: StoreFile, path: String) throws(StoreError) {
        guard file.header().applicationID == Self.ofCopy(applicationID) else {
            return
        }
        try file.write(StoreHeader.bytes(applicationID: applicationID), at: StoreHeader.applicationIDOffset, path)
    }

    /// The `application_id` of a copy that no owner has taken over: that of the original with a capital letter.
    static func ofCopy(_ applicationID: UInt32) -> UInt32 {
        applicationID & ~0x2000_0000
    }
}
