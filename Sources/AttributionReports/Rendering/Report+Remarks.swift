import Attribution
import AttributionStore
import Foundation
import StrictJSON

extension Report {
    /// The warnings and ``notes(_:)``, for formats such as CSV that have no room for them.
    ///
    /// - Parameter style: The width and characters of the lines.
    /// - Returns: Lines no wider than the style's width.
    package func remarks(_ style: TextStyle) -> [String] {
        warnings.map { style.wrapped("WARNING: \($0).".inCharacters(of: style)) } + notes(style)
    }

    /// The position, omitted rows, unseen values and deliveries, without ``warnings``.
    ///
    /// - Parameter style: The width and characters of the lines.
    /// - Returns: Lines no wider than the style's width.
    package func notes(_ style: TextStyle) -> [String] {
        ([asOfLine(style), omittedRowsLine].compactMap(\.self) + unseenLines
            + deliveryLines).map { style.wrapped($0.inCharacters(of: style)) }
    }

    /// The first line: which postbacks, days and filters.
    func title(_ style: TextStyle) -> String {
        request.title(style)
    }

    /// The position, with which the report can be repeated, and the version of the program.
    func asOfLine(_ style: TextStyle) -> String {
        style.asOfLine(position, recordedAtMilliseconds: recordedAtMilliseconds, programVersion: programVersion)
    }

    /// A line for each value in the filters that no postback has.
    var unseenLines: [String] {
        unseen.map(\.sentence)
    }

    /// The number of omitted rows, if any.
    var omittedRowsLine: String? {
        omittedRows == 0
            ? nil : "… and \(omittedRows) more row\(omittedRows == 1 ? "" : "s"); the totals include all rows."
    }

    // MARK: Unsigned fields

    /// The dimensions of rows and filters that depend on fields Apple does not sign, without duplicates.
    var unprovenDimensions: [String] {
        let used = Set(request.dimensions + request.conditions.map(\.dimension))
        return ReportDimension.allCases.filter { used.contains($0) && isUnproven($0) }.map(\.rawValue)
    }

    /// Whether a dimension depends on an unsigned field in any counted postback.
    private func isUnproven(_ dimension: ReportDimension) -> Bool {
        dimension.basis == .unsigned || dimension == .redownload && hasUnprovenRedownloads
    }

    private var hasUnprovenRedownloads: Bool {
        totals[.unprovenRedownloads] > 0
    }

    /// The line that names everything that is not signed.
    var unprovenLine: String {
        let dimensions = unprovenDimensions.filter {
            $0 != ReportDimension.redownload.rawValue && $0 != ReportDimension.conversionValue.rawValue
        }
        let redownloads =
            hasUnprovenRedownloads
            ? ["redownload in 1.0 (\(totals[.unprovenRedownloads]) of \(totals.knownRedownloads))"] : []
        return "Not signed by Apple, so anyone who has a postback can change it: "
            + (dimensions + ["conversion values"] + redownloads).joined(separator: ", ") + "."
    }
}
