import Attribution
import GRDB

/// The columns of the ledger that decide under which counters a postback falls.
enum TraitColumns {
    static let names = ["did_win", "sequence_index", "redownload", "conversion", "conversion_type", "version"]

    /// Reads the traits from a row in which the columns stand side by side.
    static func traits(_ row: Row, at first: Int) throws -> CountedTraits {
        let text: String = row[first + 3]
        guard let conversion = Conversion(text) else {
            throw DatabaseError(message: "unknown conversion \(text) in the ledger")
        }
        let version = SKAdNetworkVersion(rawValue: row[first + 5])
        // A truth value is `true`, `false`, or empty for none.
        return CountedTraits(
            didWin: Bool(row[first] as String),
            sequenceIndex: Int64(row[first + 1] as String),
            isRedownload: Bool(row[first + 2] as String),
            isRedownloadProven: version?.signsRedownload ?? true,
            isReengagement: row[first + 4] == ConversionType.reengagement.rawValue,
            conversion: conversion
        )
    }
}
