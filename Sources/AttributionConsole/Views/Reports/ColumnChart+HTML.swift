extension ColumnChart {
    /// The height of the plot in pixels.
    private static let height = 180.0
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
            HTML(
                .rect, .class("slot"), .x(.percent(x)), .width(.percent(width)), .y(.percent(0)),
                .height(.percent(100)))
            HTML(
                .rect, .class("column"), .x(.percent(x)), .width(.percent(width)), .y(y(column.count)),
                .height(.percent(scale.height(of: column.count) * 100)))
            if let previous = column.previous {
                // The halo sets the line off from a column that is behind it.
                line("halo", x...x + width, y(previous))
                line("former", x...x + width, y(previous))
            }
        }
    }

    private func line(_ name: StaticString, _ x: ClosedRange<Double>, _ y: SVGLength) -> HTML {
        HTML(.line, .class(name), .x1(.percent(x.lowerBound)), .x2(.percent(x.upperBound)), .y1(y), .y2(y))
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
