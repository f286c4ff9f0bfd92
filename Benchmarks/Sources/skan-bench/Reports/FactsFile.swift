import Glibc

/// The postbacks of a store made beforehand as CSV, for another database.
enum FactsFile {
    static let header = """
        received_at,network,app,campaign_id,source_identifier,source_app,version,did_win,redownload,sequence_index,\
        conversion,coarse
        """

    static func write(_ rows: Int, to path: String) throws {
        guard let file = fopen(path, "w") else {
            throw BenchmarkFailure("cannot write \(path)")
        }
        defer { fclose(file) }
        var lines = header + "\n"
        for id in 1...rows {
            lines += line(StoredPostback(id: id, of: rows))
            if id % 1_000 == 0 || id == rows {
                guard fputs(lines, file) >= 0 else {
                    throw BenchmarkFailure("cannot write \(path)")
                }
                lines.removeAll(keepingCapacity: true)
            }
        }
    }

    private static func line(_ postback: StoredPostback) -> String {
        func text(_ number: Int?) -> String {
            number.map { "\($0)" } ?? ""
        }
        let traits = postback.traits
        let didWin = traits.version == .v2 ? "" : "\(traits.isWinner)"
        let sourceApp = postback.sourceApp.map { PostbackShape.firstSourceApp + $0 }
        return """
            \(postback.receivedAt),\(PostbackShape.network),\(PostbackShape.firstApp + postback.app),\
            \(text(postback.campaignID)),\(text(postback.sourceIdentifier)),\(text(sourceApp)),\
            \(traits.version.rawValue),\(didWin),\(traits.isRedownload),\(text(traits.sequenceIndex)),\
            \(traits.isCoarse ? "" : traits.conversion ?? ""),\(traits.isCoarse ? traits.conversion ?? "" : "")\n
            """
    }
}
