extension ColumnChart {
    /// The height of the plot in pixels.
    private static let height = 180.0
    /// The room at its left for the numbers of the axis, as in the style sheet.
    private static let margin = 72.0
    private static let top = 10.0

    /// The chart, with its table folded below it.
    ///
    /// - Parameter table: The same figures.
    /// - Returns: The figure.
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
                HTML(.p, .class("unit")) { unit.capitalizedFirst + " a " + axis }
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

    /// Lengths across are parts of the width, so that letters keep their size on every screen.
    private var image: HTML {
        let scale = scale
        func y(_ count: Int64) -> SVGLength {
            .percent((1 - scale.height(of: count)) * 100)
        }
        return HTML(
            .svg, .role("img"), .ariaLabel(summary), .width(.percent(100)),
            .height(.pixels(Self.top + Self.height + 30))
        ) {
            HTML(
                .svg, .class("plot"), .x(.pixels(Self.margin)), .y(.pixels(Self.top)), .width(.percent(78)),
                .height(.pixels(Self.height))
            ) {
                HTML(
                    scale.ticks.map { tick in
                        HTML([
                            HTML(
                                .line, .class("grid"), .x1(.percent(0)), .x2(.percent(100)), .y1(y(tick)),
                                .y2(y(tick))),
                            HTML(.text, .class("tick"), .x(.pixels(-8)), .y(y(tick)), .textAnchor("end")) {
                                tick.grouped
                            },
                        ])
                    })
                HTML(columns.indices.map { column($0, scale, y) })
                HTML(labelled.map(label))
            }
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
            HTML(
                .rect, .class("column"), .x(.percent(x)), .width(.percent(width)), .y(y(column.count)),
                .height(.percent(scale.height(of: column.count) * 100)))
            if let previous = column.previous {
                HTML(
                    .line, .class("former"), .x1(.percent(x)), .x2(.percent(x + width)), .y1(y(previous)),
                    .y2(y(previous)))
            }
        }
    }

    private func label(_ index: Int) -> HTML {
        let (x, width) = extent(of: index)
        let anchor: StaticString =
            columns.count == 1 ? "middle" : index == 0 ? "start" : index == columns.count - 1 ? "end" : "middle"
        let middle =
            columns.count > 1 && index == 0 ? x : index == columns.count - 1 && index > 0 ? x + width : x + width / 2
        return HTML(
            .text, .class("label"), .x(.percent(middle)), .y(.pixels(Self.height + 20)), .textAnchor(anchor)
        ) {
            columns[index].label
        }
    }
}
