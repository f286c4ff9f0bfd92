/// Postbacks with consecutive ids in the source, and consecutive ones in the target.
package struct CopiedRun: Hashable, Sendable {
    /// The id of the first one in the source.
    package let source: Int64
    /// The id of the first one in the target.
    package let target: Int64
    /// How many there are.
    package var count: Int64
    /// Whether they came by copying; the target had received the others itself.
    package let isNew: Bool
    /// The sum over those that came by copying; nil when none was kept.
    package var checksum: CopyChecksum?

    /// Names a run.
    package init(
        source: Int64, target: Int64, count: Int64, isNew: Bool, checksum: CopyChecksum? = CopyChecksum()
    ) {
        self.source = source
        self.target = target
        self.count = count
        self.isNew = isNew
        self.checksum = checksum
    }

    /// Whether a postback goes on where the run ends.
    func isContinued(by source: Int64, _ copy: (id: Int64, isNew: Bool)) -> Bool {
        source == self.source + count && copy.id == target + count && copy.isNew == isNew
    }
}

/// Which postbacks of the source are which in the target.
struct CopiedRuns {
    private(set) var runs: [CopiedRun]
    private var isSorted = true

    /// Takes runs in any order.
    init(_ runs: [CopiedRun]) {
        self.runs = runs.sorted { $0.source < $1.source }
    }

    /// Adds the runs of a page; ids of PostgreSQL are not in the order of pages.
    mutating func add(_ added: [CopiedRun]) {
        isSorted = false
        runs += added
    }

    /// Sorts what was added, before ``target(of:)`` is asked.
    mutating func sort() {
        if !isSorted {
            runs.sort { $0.source < $1.source }
            isSorted = true
        }
    }

    /// The id in the target; nil for a postback that was not copied.
    func target(of source: Int64) -> Int64? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].source <= source {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low > 0, case let run = runs[low - 1], source - run.source < run.count else {
            return nil
        }
        return run.target + source - run.source
    }
}
