/// What happened to the files of a database while it was open.
package enum StoreLoss: String, Sendable {
    /// The database was removed, renamed or replaced; the file SQLite has open is complete.
    case storeMoved = "the store was moved, removed or replaced"
    /// The database became shorter than it was.
    case storeTruncated = "the store was truncated"
    /// The log was removed, renamed or replaced; the file SQLite has open is complete.
    case logMoved = "the store's -wal was moved, removed or replaced"
    /// The log was truncated or overwritten.
    case logDamaged = "the store's -wal was truncated or overwritten"
    /// The index of the log was removed, renamed or replaced, so that readers no longer agree with the owner.
    case indexMoved = "the store's -shm was moved, removed or replaced"
    /// The index of the log was truncated; accessing its mapping would crash the process.
    case indexTruncated = "the store's -shm was truncated"
}
