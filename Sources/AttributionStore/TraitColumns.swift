import Attribution
import GRDB

/// The columns of the ledger that decide under which counters a postback falls.
enum TraitColumns {
    static let names = ["did_win", "sequence_index", "redownload", "conversion", "conversion_type"]

    /// Reads the traits from a row in which the columns stand side by side.
    static func traits(_ row: Row, at first: Int) throws -> CountedTraits {
        let text: String = row[first + 3]
        guard let conversion = Conversion(text) else {
            throw DatabaseError(message: "unknown conversion \(text) in the ledger")
        }
        // A truth value is `true`, `false`, or empty for none.
        return CountedTraits(
            didWin: Bool(row[first] as String),
            sequenceIndex: Int64(row[first + 1] as String),
            isRedownload: Bool(row[first + 2] as String),
            isReengagement: row[first + 4] == ConversionType.reengagement.rawValue,
            conversion: conversion
        )
    }
}
