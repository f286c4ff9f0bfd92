import Foundation

extension Double {
    /// Three digits that mean something, and thousands apart.
    var shown: String {
        switch abs(self) {
        case 1000...: Int(rounded()).shown
        case 100...: String(format: "%.0f", self)
        case 10...: String(format: "%.1f", self)
        case 0: "0"
        case ..<0.1: String(format: "%.3f", self)
        default: String(format: "%.2f", self)
        }
    }
}

extension Int {
    /// Thousands apart.
    var shown: String {
        var digits = Array(String(magnitude))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: index)
            index -= 3
        }
        return (self < 0 ? "-" : "") + String(digits)
    }
}
