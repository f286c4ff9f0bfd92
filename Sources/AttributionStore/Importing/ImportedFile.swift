package import Attribution

/// A file that was imported, and how far: so that an import that was stopped goes on, and one that is repeated changes
/// nothing.
package struct ImportedFile: Hashable, Sendable {
    /// SHA-256 of its bytes.
    package let digest: [UInt8]
    /// How many bytes it has.
    package let bytes: Int64
    /// How many of its records were read.
    package var records: Int64

    /// Names a file.
    package init(digest: [UInt8], bytes: Int64, records: Int64) {
        self.digest = digest
        self.bytes = bytes
        self.records = records
    }
}

/// What became of a delivery that was imported.
package enum ImportedDelivery: Hashable, Sendable {
    /// It was recorded or kept, and counted.
    case made(Recording)
    /// It is the very delivery that is in the store: nothing was changed.
    case known
    /// It may be a postback of a version or key not known yet, and it could not be kept: there was no room, or that
    /// part of the store is damaged.
    case notKept
}
