import ArgumentParser
import AttributionServer

/// The type of the value of an option or operand, which decides what text is accepted.
struct ValueType {
    private let type: any ExpressibleByArgument.Type

    /// Takes the type of a property; nil when every text is accepted.
    private init?(_ type: Any.Type) {
        if let container = type as? any ValueContainer.Type {
            self.init(container.contentType)
        } else if let type = type as? any ExpressibleByArgument.Type, type != String.self {
            self.init(type: type)
        } else {
            return nil
        }
    }

    private init(type: any ExpressibleByArgument.Type) {
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

    /// Whether its values are numbers.
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
            switch Swift.type(of: child.value) {
            case let group as any OptionsProperty.Type: all(of: group.optionsType)
            case let property as any ValueProperty.Type: [ValueType(property.valueType)]
            default: []
            }
        }
    }
}

// The parser keeps these types to itself.
private protocol ValueProperty {
    static var valueType: Any.Type { get }
}

extension Option: ValueProperty {
    fileprivate static var valueType: Any.Type { Value.self }
}

extension Argument: ValueProperty {
    fileprivate static var valueType: Any.Type { Value.self }
}

private protocol OptionsProperty {
    static var optionsType: any ParsableArguments.Type { get }
}

extension OptionGroup: OptionsProperty {
    fileprivate static var optionsType: any ParsableArguments.Type { Value.self }
}

private protocol ValueContainer {
    static var contentType: Any.Type { get }
}

extension Optional: ValueContainer {
    fileprivate static var contentType: Any.Type { Wrapped.self }
}

extension Array: ValueContainer {
    fileprivate static var contentType: Any.Type { Element.self }
}
