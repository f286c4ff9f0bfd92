package import Attribution

/// A column of a section: its name, its definition and who vouches for it.
package struct ReportSectionColumn: Hashable, Sendable {
    /// What the cells of the column hold; each may also be absent.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case key, text, count, share, mean, decimal, money, counts, shares, time

        /// Whether cells are aligned to the left.
        package var isText: Bool {
            self == .key || self == .text || self == .time
        }

        /// Whether cells are bounds, for which flat formats have two columns.
        package var isRange: Bool {
            self == .counts || self == .shares
        }
    }

    /// The stable name, unique in its section.
    package let name: String
    /// The heading.
    package let title: String
    /// What the cells hold.
    package let kind: Kind
    /// Who vouches for the figure.
    package let basis: ReportDimension.Basis
    /// What the figure counts, in one sentence.
    package let definition: String
    /// The column with the denominator of a share or mean.
    package let denominator: String?
    /// The dimension whose values the cells are, for filters; nil for others.
    package let dimension: ReportDimension?
    /// Whether the report can be narrowed to a value of ``dimension``.
    package let isFilter: Bool
    /// Whether rows have its value in the previous period too.
    package let isCompared: Bool
    /// Whether its total is the sum of its rows, as that of a denominator common to all rows is not.
    package let isSum: Bool

    /// Creates a column.
    package init(
        _ name: String,
        _ title: String,
        _ kind: Kind,
        _ basis: ReportDimension.Basis,
        _ definition: String,
        denominator: String? = nil,
        dimension: ReportDimension? = nil,
        isFilter: Bool = true,
        isCompared: Bool = false,
        isSum: Bool? = nil
    ) {
        self.name = name
        self.title = title
        self.kind = kind
        self.basis = basis
        self.definition = definition
        self.denominator = denominator
        self.dimension = dimension
        self.isFilter = isFilter
        self.isCompared = isCompared
        self.isSum = isSum ?? (kind == .count)
    }

    /// The same column, also for the previous period.
    package var compared: ReportSectionColumn {
        comparing(true)
    }

    /// The same column, for the previous period or not.
    package func comparing(_ isCompared: Bool) -> ReportSectionColumn {
        ReportSectionColumn(
            name, title, kind, basis, definition, denominator: denominator, dimension: dimension, isFilter: isFilter,
            isCompared: isCompared, isSum: isSum)
    }
}

extension ReportDimension.Basis {
    /// The stable name.
    package var name: String {
        switch self {
        case .signed: "signed"
        case .unsigned: "unsigned"
        case .ours: "observed"
        }
    }

    /// Who vouches, in words.
    package var meaning: String {
        switch self {
        case .signed: "Apple signs it"
        case .unsigned: "no one signs it"
        case .ours: "we observe it"
        }
    }
}
