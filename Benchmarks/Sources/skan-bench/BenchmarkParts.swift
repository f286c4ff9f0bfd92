/// The parts, in the order in which they are run.
enum BenchmarkParts {
    static let all: [any BenchmarkPart] = [
        VerificationPart(), FilePart(), ReportPart(), IngestPart(), CostlyPart(), KindsPart(), StoredPart(),
        LatencyPart(), PausePart(), SigningPart(), WebAdsPart(), OverloadPart(),
    ]
}
