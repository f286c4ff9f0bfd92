import Attribution
import AttributionStore
import StrictJSON

/// Parses filters into conditions: values of the same dimension are alternatives, and contradictions are refused.
enum ConditionReader {
    /// Parses filters.
    ///
    /// - Parameter filters: `DIMENSION=VALUE` or `DIMENSION!=VALUE`.
    /// - Returns: One condition per dimension with selected values, and one per dimension with excluded values.
    /// - Throws: ``Attribution/FieldProblem`` naming the filter.
    static func conditions(_ filters: [String]) throws(FieldProblem) -> [LedgerQuestion.Condition] {
        var conditions: [LedgerQuestion.Condition] = []
        for text in filters {
            let filter = try filter(text)
            let index = conditions.firstIndex {
                $0.dimension == filter.dimension && $0.isExcluded == filter.isExcluded
            }
            if let index {
                let values = conditions[index].values.union(filter.values)
                conditions[index] = LedgerQuestion.Condition(
                    dimension: filter.dimension, values: values, isExcluded: filter.isExcluded)
            } else {
                conditions.append(filter)
            }
        }
        for wanted in conditions where !wanted.isExcluded {
            let excluded = conditions.first { $0.isExcluded && $0.dimension == wanted.dimension }
            if let value = excluded?.values.intersection(wanted.values).min() {
                let name = wanted.dimension.rawValue
                throw FieldProblem(
                    field: "where", found: "\(name)=\(value) and \(name)!=\(value)", expected: "one of them")
            }
        }
        return conditions
    }

    private static func filter(_ text: String) throws(FieldProblem) -> LedgerQuestion.Condition {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw FieldProblem(
                field: "where", found: text.shortened(to: 40),
                expected: "DIMENSION=VALUE or DIMENSION!=VALUE, for example app=525463029")
        }
        let isExcluded = parts[0].hasSuffix("!")
        let (name, value) = (String(isExcluded ? parts[0].dropLast() : parts[0]), String(parts[1]))
        if name == "campaign" || name == "source" {
            let names = name == "campaign" ? "campaign-id or source-identifier" : "source-app or source-domain"
            throw FieldProblem(field: "where", found: name, expected: "\(names); only by accepts \(name)")
        }
        let dimension = try ReportDimension.reading(name, field: "where")
        guard !dimension.isTime else {
            throw FieldProblem(
                field: "where", found: name, expected: "another dimension; period, from and to choose the days")
        }
        if let expected = dimension.problem(with: value) {
            throw FieldProblem(
                field: "where", found: text.shortened(to: 60),
                expected: "\(name) to be \(expected)"
                    + (value.contains(",") ? "; for several values repeat it: where \(name)=… where \(name)=…" : ""))
        }
        return LedgerQuestion.Condition(dimension: dimension, values: [value], isExcluded: isExcluded)
    }
}
