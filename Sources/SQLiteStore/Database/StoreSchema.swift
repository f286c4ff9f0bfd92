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
        let header = try file.header(path)
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
        guard try file.header(path).applicationID == Self.ofCopy(applicationID) else {
            return
        }
        try file.write(StoreHeader.bytes(applicationID: applicationID), at: StoreHeader.applicationIDOffset, path)
    }

    /// The `application_id` of a copy that no owner has taken over: that of the original with a capital letter.
    static func ofCopy(_ applicationID: UInt32) -> UInt32 {
        applicationID & ~0x2000_0000
    }
}

/// The first 100 bytes of a database file, read before SQLite opens it.
///
/// - SeeAlso: [Database File Format, 1.3](https://www.sqlite.org/fileformat.html#the_database_header)
struct StoreHeader: Sendable {
    /// The `application_id` of a store of postbacks: "skan".
    static let ledgerApplication: UInt32 = 0x736B_616E
    /// The `application_id` of a file of web ads: "skaw".
    static let webAdApplication: UInt32 = 0x736B_6177

    /// Whether the file is a database.
    let isDatabase: Bool
    /// `application_id`; 0 if not set.
    let applicationID: UInt32
    /// `user_version`, the version of the schema.
    let schemaVersion: UInt32

    /// Whether the file is a copy that no owner has taken over; it has no log.
    var isCopy: Bool {
        [Self.ledgerApplication, Self.webAdApplication].contains { applicationID == StoreSchema.ofCopy($0) }
    }

    /// The size of the header in bytes.
    static let size = 100
    /// The offset of the `application_id`.
    static let applicationIDOffset = 68

    /// An `application_id` as it is in the header.
    static func bytes(applicationID: UInt32) -> [UInt8] {
        withUnsafeBytes(of: applicationID.bigEndian) { Array($0) }
    }

    /// Parses the first bytes of a file.
    init(_ bytes: [UInt8]) {
        isDatabase = bytes.count >= Self.size && bytes.starts(with: Array("SQLite format 3\0".utf8))
        func number(at offset: Int) -> UInt32 {
            bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        applicationID = isDatabase ? number(at: Self.applicationIDOffset) : 0
        schemaVersion = isDatabase ? number(at: 60) : 0
    }
}
