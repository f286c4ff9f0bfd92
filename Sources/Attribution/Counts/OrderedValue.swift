/// A value of a dimension in the order in which reports list values: first the absent one, then numbers by size, so that
/// campaign 9 comes before campaign 10, then all other texts.
///
/// Texts of one number, which leading zeros tell apart, follow one another.
package struct OrderedValue: Comparable, Hashable, Sendable {
    /// The value; empty where a postback carries none.
    package let text: String
    private let number: Int64?

    /// Takes a value.
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
