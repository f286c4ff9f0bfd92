/// One line of the result: what was measured in this run, and the bar it is held against.
struct Figure {
    enum Bar {
        case atLeast(Double)
        case atMost(Double)
        case exactly(Double)
    }

    let name: String
    /// What was measured, with its unit.
    let measured: String
    /// What it is divided by, with its unit; empty when the bar is absolute.
    var reference = ""
    /// The number that is held against the bar.
    let value: Double
    /// The unit of an absolute value; empty for a ratio.
    var unit = ""
    /// nil for what is only told.
    var bar: Bar?
    /// A condition of the bar that this run did not meet.
    var caveat = ""

    var isMissed: Bool {
        switch bar {
        case .atLeast(let bound): value < bound
        case .atMost(let bound): value > bound
        case .exactly(let bound): value != bound
        case nil: false
        }
    }

    var valueText: String {
        "\(value.shown)\(unit.isEmpty ? "" : " " + unit)"
    }

    var barText: String {
        switch bar {
        case .atLeast(let bound): "≥ \(bound.shown)\(unit.isEmpty ? "" : " " + unit)"
        case .atMost(let bound): "≤ \(bound.shown)\(unit.isEmpty ? "" : " " + unit)"
        case .exactly(let bound): "= \(bound.shown)\(unit.isEmpty ? "" : " " + unit)"
        case nil: "–"
        }
    }

    /// The bar as a table has it: nothing more is said where it was met as it stands.
    var barCell: String {
        barText + (isMissed ? ", **not met**" : "") + (caveat.isEmpty ? "" : " (\(caveat))")
    }

    var verdict: String {
        bar == nil ? "–" : (isMissed ? "not met" : "met") + (caveat.isEmpty ? "" : " (\(caveat))")
    }
}
