/// What can be measured alone: a file under `Parts/`, and a line in ``BenchmarkParts``.
protocol BenchmarkPart: Sendable {
    /// As `--parts` has it.
    var name: String { get }
    var summary: String { get }

    /// Measures, and adds its figures to the board; throws when it cannot.
    func run(_ bench: Bench) throws
}
