/// What a store has of the postbacks that a question is about, as of one snapshot: most of them in blocks of columns, the
/// newest only as what columns are derived from.
package protocol ColumnSource {
    /// How many blocks there are, from 0; among them those that should be there and are not.
    var blockCount: Int64 { get }

    /// How many postbacks of a block are to be counted.
    func postbackCount(_ block: Int64) -> Int

    /// The times of a block's postbacks, in quarter hours, and how many of these could not be read when it was written;
    /// nil if that takes reading columns.
    func times(_ block: Int64) -> (quarters: ClosedRange<Int64>, missingCount: Int)?

    /// Passes one column of a block to a closure.
    ///
    /// - Returns: What `use` returned; nil if the column is missing, damaged, or built by other rules.
    func read<Result>(
        _ block: Int64, _ column: LedgerColumn, _ use: (ColumnBlock) throws -> Result
    ) throws -> Result?

    /// Reads the codes of some columns.
    func codes(_ columns: [LedgerColumn]) throws -> ColumnCodes

    /// Derives the values of the postbacks that are in no block yet.
    ///
    /// - Returns: The values of at most a block's postbacks; nil if there are none.
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
