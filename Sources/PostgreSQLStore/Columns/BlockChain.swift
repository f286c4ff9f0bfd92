import AttributionStore

/// The blocks of a store in the order of the commits, each of which begins where the last one ended, and the gaps
/// between them.
///
/// Whatever the rows of `skan.block` say, every postback is in one part, or behind the last: a row that is damaged, or
/// that claims postbacks of an earlier block, is left out, and nothing is counted twice or passed over.
struct BlockChain {
    enum Part {
        case block(BlockHeader)
        /// Postbacks that were in a block, which is lost.
        case gap(CommitRange)

        var range: CommitRange {
            switch self {
            case .block(let header): header.range
            case .gap(let range): range
            }
        }
    }

    private(set) var parts: [Part] = []
    /// Where the last block ends.
    private(set) var end = CommitPoint.start
    /// The numbers of rows that are no part of the chain.
    private(set) var strays: [Int64] = []

    /// Reads the blocks.
    ///
    /// - Parameters:
    ///   - connection: Within a transaction.
    ///   - last: Where the last block ends at the latest; nil for all.
    /// - Throws: ``PostgreSQLFault``.
    init(_ connection: PostgreSQLConnection, through last: CommitPoint? = nil) throws {
        let result = try connection.run("SELECT \(BlockHeader.columns) FROM skan.block")
        var headers: [BlockHeader] = []
        for row in 0..<result.count {
            if let header = try BlockHeader(result, row) {
                headers.append(header)
            } else {
                strays.append(try result.integer(row, 0))
            }
        }
        headers.sort { ($0.range.after, $0.range.through) < ($1.range.after, $1.range.through) }
        for header in headers {
            guard header.range.after >= end else {
                strays.append(header.number)
                continue
            }
            if let last, header.range.after > last {
                break
            }
            if header.range.after > end {
                parts.append(.gap(CommitRange(after: end, through: header.range.after)))
                end = header.range.after
            }
            if let last, header.range.through > last {
                break
            }
            parts.append(.block(header))
            end = header.range.through
        }
    }

    /// The blocks, without the gaps.
    var headers: [BlockHeader] {
        parts.compactMap { if case .block(let header) = $0 { header } else { nil } }
    }
}
