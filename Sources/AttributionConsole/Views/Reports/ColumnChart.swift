/// Counts as columns side by side, before paler and wider ones of the previous period.
package struct ColumnChart: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        let label: String
        let count: Int64
        let previous: Int64?

        package init(_ label: String, _ count: Int64, previous: Int64? = nil) {
            self.label = label
            self.count = count
            self.previous = previous
        }
    }

    /// The name, unique on its page.
    let id: String
    let title: String
    /// What is counted, in the plural.
    let unit: String
    /// What the columns are, such as `day`.
    let axis: String
    let columns: [Column]

    /// The most labels on the horizontal axis: they have to fit on a phone.
    private static let labelCount = 4

    package init(id: String, title: String, unit: String, axis: String, columns: [Column]) {
        self.id = id
        self.title = title
        self.unit = unit
        self.axis = axis
        self.columns = columns
    }

    package var isEmpty: Bool {
        columns.allSatisfy { $0.count == 0 && ($0.previous ?? 0) == 0 }
    }

    package var scale: ChartScale {
        ChartScale(maximum: columns.map { max($0.count, $0.previous ?? 0) }.max() ?? 0)
    }

    /// Where a column begins and how wide it is, in percent of the chart's width.
    package func extent(of index: Int) -> (x: Double, width: Double) {
        let slot = 100 / Double(max(columns.count, 1))
        // A single column as wide as the chart would look like a background.
        let width = min(slot * (columns.count > 120 ? 1 : 0.8), 12)
        return ((Double(index) + 0.5) * slot - width / 2, width)
    }

    /// The columns whose labels are written: the first, the last, and some between them at even distances.
    package var labelled: [Int] {
        let last = columns.count - 1
        guard last > 0 else {
            return columns.isEmpty ? [] : [0]
        }
        let intervals = min(Self.labelCount - 1, last)
        return (0...intervals).map { $0 * last / intervals }
    }

    package var summary: String {
        let total = columns.reduce(0) { $0 + $1.count }
        let previous = columns.compactMap(\.previous)
        guard let least = columns.map(\.count).min(), let most = columns.map(\.count).max(), !isEmpty else {
            return "\(title): no \(unit)."
        }
        let range =
            columns.count == 1 ? "" : ", between \(least.grouped) and \(most.grouped) a \(axis)"
        let former = previous.isEmpty ? "" : "; in the previous period \(previous.reduce(0, +).grouped)"
        return "\(title): \(total.grouped) \(unit)\(range)\(former)."
    }
}

/// The vertical axis of a chart of counts: 0 at the bottom, and round numbers above it.
package struct ChartScale: Hashable, Sendable {
    /// The numbers that are labelled, the first 0 and the last at the top.
    package let ticks: [Int64]

    /// The most intervals between ticks.
    private static let intervals: Int64 = 4

    /// Makes the axis for counts up to a maximum; without any count, up to 1.
    package init(maximum: Int64) {
        let maximum = max(maximum, 1)
        var step: Int64 = 1
        var factor = [2, 5, 10] as [Int64]
        var unit: Int64 = 1
        // 1, 2, 5, 10, 20, 50 and so on.
        while step * Self.intervals < maximum {
            step = unit * factor.removeFirst()
            if factor.isEmpty {
                unit *= 10
                factor = [2, 5, 10]
            }
        }
        let count = (maximum + step - 1) / step
        ticks = (0...count).map { $0 * step }
    }

    /// How high a count is, from 0 at the bottom to 1 at the top.
    package func height(of count: Int64) -> Double {
        Double(count) / Double(ticks.last ?? 1)
    }
}

extension ColumnChart {
    /// The height of the plot in pixels.
    private static let height = 150.0
    /// The longest number for which the usual margin has room.
    private static let longestTick = "9,000,000".count
    /// The longest label that a phone has room for between others.
    private static let shortLabel = 6

    /// The chart, with its table folded below it.
    func html(table: HTML) -> HTML {
        HTML(.figure, .class("chart"), .id(id)) {
            HTML(.figcaption) { title }
            if isEmpty {
                HTML(.p, .class("empty")) { "No \(unit) in these days." }
            } else {
                if hasPrevious {
                    HTML(.p, .class("key")) {
                        HTML(.span, .class("now")) { "These days" }
                        HTML(.span, .class("former")) { "Previous period" }
                    }
                }
                HTML(.p, .class("unit")) { unit.capitalizedFirst + " per " + axis }
                image
            }
            HTML(.details) {
                HTML(.summary) { "Table: \(title)" }
                table
            }
        }
    }

    private var hasPrevious: Bool {
        columns.contains { $0.previous != nil }
    }

    /// Lengths across are parts of the width, so that letters keep their size on every screen; what is written around
    /// the plot is in its margins.
    private var image: HTML {
        let scale = scale
        let isRoomy = scale.ticks.contains { $0.grouped.count > Self.longestTick }
        func y(_ count: Int64) -> SVGLength {
            .percent((1 - scale.height(of: count)) * 100)
        }
        return HTML(
            .svg, .class(isRoomy ? "plot roomy" : "plot"), .role("img"), .ariaLabel(summary), .width(.percent(100)),
            .height(.pixels(Self.height))
        ) {
            HTML(
                scale.ticks.map { tick in
                    HTML([
                        HTML(
                            .line, .class("grid"), .x1(.percent(0)), .x2(.percent(100)), .y1(y(tick)), .y2(y(tick))),
                        HTML(.text, .class("tick"), .x(.pixels(-8)), .y(y(tick)), .textAnchor("end")) {
                            tick.grouped
                        },
                    ])
                })
            HTML(columns.indices.map { column($0, scale, y) })
            HTML(labelled.map(label))
        }
    }

    private func column(_ index: Int, _ scale: ChartScale, _ y: (Int64) -> SVGLength) -> HTML {
        let column = columns[index]
        let (x, width) = extent(of: index)
        return HTML(.g) {
            HTML(.title) {
                "\(column.label): \(column.count.grouped) \(unit)"
                    + (column.previous.map { ", previously \($0.grouped)" } ?? "")
            }
            // The whole height shows the title, also where the column is low.
            bar("slot", x, width, y(scale.ticks.last ?? 1), height: 1)
            if let previous = column.previous {
                bar("before", x, width, y(previous), height: scale.height(of: previous))
                HTML(
                    .line, .class("former"), .x1(.percent(x)), .x2(.percent(x + width)), .y1(y(previous)),
                    .y2(y(previous)))
            }
            let margin = hasPrevious ? width / 5 : 0
            bar(
                "column", x + margin, width - 2 * margin, y(column.count), height: scale.height(of: column.count))
        }
    }

    private func bar(
        _ name: StaticString, _ x: Double, _ width: Double, _ y: SVGLength, height: Double
    ) -> HTML {
        HTML(
            .rect, .class(name), .x(.percent(x)), .width(.percent(width)), .y(y), .height(.percent(height * 100)))
    }

    /// A phone has room for the labels at the ends, and for short ones between them.
    private func label(_ index: Int) -> HTML {
        let (x, width) = extent(of: index)
        let (isFirst, isLast) = (index == 0, index == columns.count - 1)
        let position: (x: Double, anchor: StaticString) =
            switch (isFirst, isLast) {
            case (true, false): (x, "start")
            case (false, true): (x + width, "end")
            default: (x + width / 2, "middle")
            }
        let text = columns[index].label
        let isOptional = !isFirst && !isLast && text.count > Self.shortLabel
        return HTML(
            .text, .class(isOptional ? "label optional" : "label"), .x(.percent(position.x)),
            .y(.pixels(Self.height + 20)), .textAnchor(position.anchor)
        ) {
            text
        }
    }
}
