package import AttributionStore

extension SQLiteLedgerReader: LedgerReading {}

extension SQLiteLedgerWriter: LedgerWriting {
    /// The file, with links resolved.
    package var name: String {
        path
    }

    /// A reader of the same file.
    package func makeReader() throws -> any LedgerReading {
        try SQLiteLedgerReader(path)
    }
}
