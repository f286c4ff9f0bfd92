import ArgumentParser
import Attribution
import AttributionConsole
import AttributionReports
import AttributionServer
import AttributionStore
import Foundation

/// The type of the value of an option or operand, which decides what text is accepted.
struct ValueType {
    private let type: any ExpressibleByArgument.Type

    /// Takes the type of a property; nil when every text is accepted.
    private init?(_ type: any Container.Type) {
        var content = type.content
        while let container = content as? any Container.Type {
            content = container.content
        }
        guard let type = content as? any ExpressibleByArgument.Type, type != String.self else {
            return nil
        }
        self.type = type
    }

    /// What is expected; nil when the text is accepted.
    func expectation(insteadOf text: String) -> String? {
        type.init(argument: text) == nil ? expectation(isLarge: text.allSatisfy(\.isNumber)) : nil
    }

    /// What is expected.
    var expectation: String {
        expectation(isLarge: false)
    }

    var isNumber: Bool {
        type is any Numeric.Type
    }

    private func expectation(isLarge: Bool) -> String {
        switch type {
        case let number as any FixedWidthInteger.Type:
            isLarge ? "a whole number up to \(number.max)" : "a whole number, 0 or more"
        case is any BinaryFloatingPoint.Type: "a number, 0 or more"
        case is ListenAddress.Type: "HOST:PORT, for example 127.0.0.1:8080"
        case is SigningAddress.Type: "HOST:PORT or unix:PATH, for example 127.0.0.1:8082"
        default: "another value"
        }
    }

    /// The types of the options and operands of a command, in the order of their declarations.
    static func all(of command: any ParsableArguments.Type) -> [ValueType?] {
        Mirror(reflecting: command.init()).children.flatMap { child -> [ValueType?] in
            guard let property = Swift.type(of: child.value) as? any Container.Type else {
                return []
            }
            return (property.content as? any ParsableArguments.Type).map(all) ?? [ValueType(property)]
        }
    }
}

/// What has a value of another type: the parser keeps the types of values to itself.
private protocol Container {
    static var content: Any.Type { get }
}

extension Option: Container {
    fileprivate static var content: Any.Type { Value.self }
}

extension Argument: Container {
    fileprivate static var content: Any.Type { Value.self }
}

extension OptionGroup: Container {
    fileprivate static var content: Any.Type { Value.self }
}

extension Optional: Container {
    fileprivate static var content: Any.Type { Wrapped.self }
}

extension Array: Container {
    fileprivate static var content: Any.Type { Element.self }
}

extension CompletionKind {
    static let dimensions = commaSeparated {
        ReportDimension.allCases.map(\.rawValue) + ["campaign", "source", "install-day"]
    }

    static let standardReports = CompletionKind.list(StandardReportName.allCases.map(\.rawValue))

    /// The sections of all standard reports.
    static let reportSections = CompletionKind.list(
        Set(StandardReportName.allCases.flatMap { StandardReportPlan($0).sectionNames }).sorted())

    static let figures = commaSeparated { ReportFigure.all.map(\.name) }

    /// The sort keys of a report, in either direction.
    static let sortKeys: CompletionKind = {
        let names = ReportFigure.all.map(\.name) + ReportDimension.allCases.map(\.rawValue)
        return .list(names + names.map { "-\($0)" })
    }()

    /// The prefixes of filters; only a store knows the values.
    static let filters = CompletionKind.list(
        ReportDimension.allCases.filter { !$0.isTime }.map { "\($0.rawValue)=" })

    static let periods = CompletionKind.list(CalendarPeriod.names)

    /// The time zones, which are too many to include in a script.
    static let timeZones = CompletionKind.custom { _, _, _ in ["UTC"] + TimeZone.knownTimeZoneIdentifiers }

    /// The scopes of tokens, comma-separated.
    static let scopes = commaSeparated { AccessScope.allCases.map(\.rawValue) }

    /// The reasons for which deliveries are in quarantine.
    static let quarantineReasons = CompletionKind.list(QuarantineQuery.reasons)

    /// Completes the last name of a list with those not yet in it.
    private static func commaSeparated(_ names: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { _, _, text in
            let given = text.split(separator: ",", omittingEmptySubsequences: false).dropLast().map { String($0) }
            return names().filter { !given.contains($0) }.map { (given + [$0]).joined(separator: ",") }
        }
    }
}
