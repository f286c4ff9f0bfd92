import Glibc

/// Collects the figures, prints each as it comes, and all as a Markdown table.
struct Scoreboard {
    private var figures: [Figure] = []

    var hasMissedBar: Bool {
        figures.contains(where: \.isMissed)
    }

    /// Says something beside the figures.
    func note(_ text: String) {
        print("    \(text)")
        fflush(nil)
    }

    mutating func add(_ figure: Figure) {
        figures.append(figure)
        let reference = figure.reference.isEmpty ? "" : ", reference \(figure.reference)"
        print("\(figure.name): \(figure.measured)\(reference)")
        print("    → \(figure.valueText), bar \(figure.barText): \(figure.verdict)")
        fflush(nil)
    }

    func printMarkdown() {
        print("\n| what | measured | reference | ratio | bar |\n|---|---|---|---|---|")
        for figure in figures {
            let cells = [
                figure.name, figure.measured, figure.reference.isEmpty ? "–" : figure.reference, figure.valueText,
                figure.barCell,
            ]
            print("| \(cells.joined(separator: " | ")) |")
        }
        fflush(nil)
    }
}
