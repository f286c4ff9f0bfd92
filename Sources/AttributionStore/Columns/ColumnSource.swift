/// What a store has of the postbacks that a question is about, as of one snapshot: most of them in blocks of columns, the
/// newest only as what columns are derived from.
package protocol ColumnSource {
    /// How many blocks there are, from 0; among them those that should be there and are not.
    var blockCount: Int64 { get }

    /// How many postbacks of a block are to be counted.
    func postbackCount(_ block: Int64) -> Int

    /// The times of a block's postbacks, in quarter hours; nil if that takes reading their column.
    func quarters(_ block: Int64) -> ClosedRange<Int64>?

    /// How many postbacks of a block could not be read when it was written.
    func missingCount(_ block: Int64) throws -> Int

    /// Called before each block: what is read of blocks may then belong to a later snapshot, in which they are the same.
    func betweenBlocks() throws

    /// Copies one column of a block; nil if it is missing or cannot be read.
    func load(_ block: Int64, _ column: LedgerColumn) throws -> StoredColumn?

    /// Reads the codes of some columns.
    func codes(_ columns: [LedgerColumn]) throws -> ColumnCodes

    /// Derives the values of the postbacks that are in no block yet.
    ///
    /// - Parameters:
    ///   - columns: The columns to derive.
    ///   - codes: The codes of the texts; new texts are added.
    /// - Returns: The values of at most a block's postbacks; nil if there are none.
    /// - Throws: The store's errors.
    func newest(_ columns: [LedgerColumn], _ codes: inout ColumnCodes) throws -> ColumnValues?

    /// Derives the values of a block's postbacks from what its columns were derived from.
    ///
    /// - Parameters:
    ///   - block: The block.
    ///   - columns: The columns to derive.
    ///   - codes: The codes of the texts; new texts are added.
    ///   - use: Takes the values of the postbacks that are to be counted, of at most a block's at a time.
    /// - Returns: The postbacks, if the block should have been readable.
    /// - Throws: What `use` throws, and the store's errors.
    func derive(
        _ block: Int64,
        _ columns: [LedgerColumn],
        _ codes: inout ColumnCodes,
        _ use: (ColumnValues, ColumnCodes) throws -> Void
    ) throws -> [ClosedRange<Int64>]
}

extension ColumnSource {
    /// Does nothing: the whole is read in one snapshot.
    package func betweenBlocks() {}
}
