package import Attribution

/// Counts what a question asks for, with one pass over the columns.
package struct ColumnCount {
    private let source: any ColumnSource
    private let question: LedgerQuestion
    private let check: AnswerCheck

    package init(_ source: any ColumnSource, _ question: LedgerQuestion, _ check: AnswerCheck) {
        self.source = source
        self.question = question
        self.check = check
    }

    /// Whether a question leaves out all postbacks of some time, in quarter hours.
    package static func excludes(_ times: ClosedRange<Int64>, _ question: LedgerQuestion) -> Bool {
        question.quarters.map { $0.lowerBound > times.upperBound || $0.upperBound <= times.lowerBound } ?? false
    }

    /// Counts.
    ///
    /// - Throws: ``LedgerQuestionError``, and what the store and the check throw.
    package func counted() throws -> CountedPostbacks {
        try check()
        let columns = LedgerColumn.needed(for: question)
        var codes = try source.codes(columns.filter(\.isCoded))
        // Postbacks that are in no block yet come first, because they may add codes.
        let newest = try source.newest(columns, &codes)
        while true {
            do {
                let layout = ScanLayout(question, codes)
                return layout.bits <= UInt64.bitWidth
                    ? try counted(layout, codes, columns, newest, as: UInt64.self)
                    : try counted(layout, codes, columns, newest, as: UInt128.self)
            } catch let outgrown as OutgrownLayout {
                codes = outgrown.codes
            }
        }
    }

    private func counted<Key: FixedWidthInteger & UnsignedInteger>(
        _ layout: ScanLayout,
        _ codes: ColumnCodes,
        _ columns: [LedgerColumn],
        _ newest: ColumnValues?,
        as: Key.Type
    ) throws -> CountedPostbacks {
        guard layout.bits <= Key.bitWidth else {
            throw LedgerQuestionError.tooManyCombinations
        }
        var scan = ColumnScan<Key>(question, layout, codes)
        defer { scan.deallocate() }
        if let newest {
            try scan.count(newest, codes)
        }
        var unreadable: [Int64] = []
        for block in 0..<source.blockCount {
            try check()
            if try !scan.count(block, source) {
                unreadable.append(block)
            }
        }
        var unreadableCount = (newest?.unreadableCount ?? 0) + scan.missingCount
        var damaged: [ClosedRange<Int64>] = []
        for block in unreadable {
            var grown = scan.codes
            damaged += try source.derive(block, columns, &grown) { values, grown in
                try check()
                try scan.count(values, grown)
                unreadableCount += values.unreadableCount
            }
        }
        let rows = try AnswerRows(scan, question, layout)
        return CountedPostbacks(
            rows: rows.rows, totals: rows.totals, unseen: scan.unseen, damaged: damaged,
            unreadableCount: unreadableCount)
    }
}

/// What the columns say in answer to a question; see ``LedgerAnswer``.
package struct CountedPostbacks {
    package let rows: LedgerRows
    package let totals: Counts
    package let unseen: [LedgerAnswer.UnseenValue]
    package let damaged: [ClosedRange<Int64>]
    package let unreadableCount: Int
}
