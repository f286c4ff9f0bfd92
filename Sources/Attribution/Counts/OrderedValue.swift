/// A value of a dimension that sorts as reports list values: absent first, then numbers by size, then other texts.
///
/// Numbers that differ only in leading zeros are adjacent.
package struct OrderedValue: Comparable, Hashable, Sendable {
    /// The value; empty if absent.
    package let text: String
    private let number: Int64?

    /// Makes a value from its text.
    package init(_ text: String) {
        self.text = text
        number = Int64(text)
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        switch (lhs.number, rhs.number) {
        case (let left?, let right?) where left != right: left < right
        case (_?, nil): !rhs.text.isEmpty
        case (nil, _?): lhs.text.isEmpty
        default: lhs.text < rhs.text
        }
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.text == rhs.text
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}
