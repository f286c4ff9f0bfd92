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

    /// The size of the header in bytes.
    static let size = 100
    /// Where the `application_id` is.
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
