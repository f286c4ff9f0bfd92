/// The tables of one kind of file; nothing was released yet, and so there is one version.
struct StoreSchema: Sendable {
    /// `application_id`, by which the file is recognised before SQLite opens it.
    let applicationID: UInt32
    /// `user_version`.
    let version: UInt32
    /// What makes the tables in an empty file.
    let sql: String

    /// In every file: whose turn it is to write it.
    private static let owner = """
        -- Raised by each process that takes the file over; one that finds a number that is not its own writes no more.
        CREATE TABLE owner (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch INTEGER NOT NULL,
            store TEXT NOT NULL -- names the file for ever, so that positions in it are not taken for another's
        ) STRICT;
        INSERT INTO owner VALUES (1, 0, lower(hex(randomblob(4))));

        -- Written while commits fail, as many pages as a batch takes: only then can it be told that one would fit again.
        CREATE TABLE probe (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            bytes BLOB NOT NULL
        ) STRICT;
        INSERT INTO probe VALUES (1, x'');

        """

    /// Makes a schema.
    init(applicationID: UInt32, version: UInt32, tables: String) {
        self.applicationID = applicationID
        self.version = version
        sql = Self.owner + tables
    }

    /// Tells whether a file is of this kind and age; an empty one is a new store.
    func check(_ file: StoreFile, path: String) throws(StoreError) {
        guard !file.isEmpty else {
            return
        }
        let header = file.header()
        guard header.isDatabase else {
            throw .notAStore(path: path)
        }
        guard header.applicationID == applicationID else {
            throw .foreignDatabase(path: path)
        }
        guard header.schemaVersion <= version else {
            throw .newerSchema(path: path)
        }
        guard header.schemaVersion == version else {
            throw .olderSchema(path: path)
        }
    }
}
