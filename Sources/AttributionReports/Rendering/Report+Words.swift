import Attribution
import AttributionStore
import Foundation
import StrictJSON

extension Report {
    /// What is said below the rows, or beside a form that has no room for words: as of when, what is left out, what is
    /// unproven, and what became of the deliveries.
    ///
    /// - Parameter style: The width of the lines, and their characters.
    /// - Returns: Lines no wider than the style's.
    package func words(_ style: TextStyle) -> [String] {
        warnings.map { style.wrapped("WARNING: \($0).".inCharacters(of: style)) } + notes(style)
    }

    /// The ``words(_:)`` but for ``warnings``, for whoever has told these already.
    ///
    /// - Parameter style: The width of the lines, and their characters.
    /// - Returns: Lines no wider than the style's.
    package func notes(_ style: TextStyle) -> [String] {
        ([asOfLine(style), omittedRowsLine].compactMap(\.self) + unseenLines
            + deliveries.lines(areUntilNow: request.asOf != nil)).map { style.wrapped($0.inCharacters(of: style)) }
    }

    /// The first line: which postbacks of which days.
    func title(_ style: TextStyle) -> String {
        let subject =
            switch request.traffic {
            case .apple: "Postbacks verified with Apple's keys"
            case .foreign: "FOREIGN postbacks, verified with Apple's keys for networks that are not ours"
            case .development: "DEVELOPMENT postbacks, verified with Apple's keys for development"
            case .test: "TEST postbacks, verified with test keys only"
            }
        let days =
            switch (request.from, request.through) {
            case (nil, nil): "all days"
            case (let from?, nil): "from \(from)"
            case (nil, let through?): "to \(through)"
            case (let from?, let through?): from == through ? "\(from)" : "\(from) to \(through)"
            }
        let filters = request.conditions.map { condition in
            let values = condition.values.sorted().map { $0.isEmpty ? "none" : style.cell($0, limit: 60) }
            return "\(condition.dimension.rawValue) \(condition.isExcluded ? style.unequal : "=") "
                + values.joined(separator: condition.isExcluded ? ", " : " or ")
        }
        return ([subject, days, "days of \(zoneName)"] + filters).joined(separator: style.separator)
    }

    /// Up to where was counted, so that the same numbers can be had again, and by which program.
    func asOfLine(_ style: TextStyle) -> String {
        let counted = position.map { "As of \($0)" + (recordedAt.map { ", recorded \($0)" } ?? "") }
        return [counted, programVersion.map { "skan \($0)" }].compactMap(\.self).joined(separator: style.separator)
    }

    /// A line for each value asked for that no postback has.
    var unseenLines: [String] {
        unseen.map { unseen in
            let name = unseen.dimension.rawValue
            guard !unseen.value.isEmpty else {
                return "Every postback recorded here has a \(name)."
            }
            let hint =
                unseen.dimension == .network && unseen.value != unseen.value.lowercased()
                ? " Network ids are compared letter by letter; registered ones are in lower case." : ""
            return "No postback recorded here has \(name) \(unseen.value.shortened(to: 60)).\(hint)"
        }
    }

    /// How many rows are not shown, if any.
    var omittedRowsLine: String? {
        omittedRows == 0
            ? nil : "… and \(omittedRows) more row\(omittedRows == 1 ? "" : "s"); the totals are those of all."
    }

    var zoneName: String {
        request.timeZone == .gmt ? "UTC" : request.timeZone.identifier
    }

    /// When the last postback counted was recorded, ISO 8601.
    var recordedAt: String? {
        recordedAtMilliseconds.map { Moment(milliseconds: $0).text }
    }

    // MARK: What is not signed

    /// The dimensions it is broken down or filtered by that rest on fields Apple does not sign, each once.
    var unprovenDimensions: [String] {
        let used = Set(request.dimensions + request.conditions.map(\.dimension))
        return ReportDimension.allCases.filter { used.contains($0) && isUnproven($0) }.map(\.rawValue)
    }

    /// Whether a dimension rests, in any postback counted, on what nobody signs.
    private func isUnproven(_ dimension: ReportDimension) -> Bool {
        dimension.basis == .unsigned || dimension == .redownload && hasUnprovenRedownloads
    }

    private var hasUnprovenRedownloads: Bool {
        totals[.unprovenRedownloads] > 0
    }

    /// What whoever holds a postback could have changed.
    var unprovenLine: String {
        let dimensions = unprovenDimensions.filter {
            $0 != ReportDimension.redownload.rawValue && $0 != ReportDimension.conversionValue.rawValue
        }
        let redownloads =
            hasUnprovenRedownloads
            ? ["redownload in 1.0 (\(totals[.unprovenRedownloads]) of \(totals.knownRedownloads))"] : []
        return "Not signed by Apple, so whoever holds a postback can change it: "
            + (dimensions + ["conversion values"] + redownloads).joined(separator: ", ") + "."
    }
}
