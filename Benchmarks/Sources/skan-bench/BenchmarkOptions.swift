/// The command line, read and checked.
struct BenchmarkOptions {
    var parts: [any BenchmarkPart] = BenchmarkParts.all
    var skan = ".build/release/skan"
    /// Postbacks the full store holds before it is measured.
    var rows = Self.fullRows
    /// Postbacks in the file of the `file` part.
    var fileRows = 1_000_000
    /// How long one phase of load lasts.
    var seconds = 5.0
    var overloadSeconds = 60.0
    /// The folder under which everything temporary is made, and removed again.
    var work = "Benchmarks/.build/work"
    /// Whether the stores made beforehand stay for the next run.
    var keepsStores = false
    var wantsHelp = false

    /// Ten million, and no postback behind the last block.
    static let fullRows = 10_000_000 / StorePreload.step * StorePreload.step

    static var usage: String {
        """
        usage: skan-bench [options]

          --parts A,B           only these parts
          --skan PATH           the binary to measure (.build/release/skan)
          --rows N              postbacks of the full store (10000000, rounded down to blocks of \(StorePreload.step))
          --file-rows N         postbacks of the file that is verified (1000000)
          --seconds S           length of one phase of load (5)
          --overload-seconds S  length of the overload (60)
          --work DIR            folder for everything temporary (Benchmarks/.build/work)
          --keep                keep the stores made beforehand for the next run

        parts:
        \(BenchmarkParts.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

        Measures against the project's bars and against `openssl speed`, in one run on one machine; give it nothing else
        to do meanwhile. Ends with status 1 when a bar is not met, 2 when it could not measure.
        """
    }

    init(arguments: [String]) throws(BenchmarkFailure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--parts": parts = try Self.parts(in: Self.value(of: argument, &rest))
            case "--skan": skan = try Self.value(of: argument, &rest)
            case "--rows": rows = try Self.number(of: argument, &rest)
            case "--file-rows": fileRows = try Self.number(of: argument, &rest)
            case "--seconds": seconds = Double(try Self.number(of: argument, &rest))
            case "--overload-seconds": overloadSeconds = Double(try Self.number(of: argument, &rest))
            case "--work": work = try Self.value(of: argument, &rest)
            case "--keep": keepsStores = true
            case "--help", "-h": wantsHelp = true
            default: throw BenchmarkFailure("unknown argument \(argument)\n\(Self.usage)")
            }
        }
        guard rows >= StorePreload.step else {
            throw BenchmarkFailure("--rows: found \(rows), expected at least \(StorePreload.step)")
        }
        rows -= rows % StorePreload.step
    }

    private static func parts(in text: String) throws(BenchmarkFailure) -> [any BenchmarkPart] {
        let names = text.split(separator: ",").map { String($0) }
        if let unknown = names.first(where: { name in !BenchmarkParts.all.contains { $0.name == name } }) {
            let known = BenchmarkParts.all.map(\.name).joined(separator: ", ")
            throw BenchmarkFailure("--parts: found \(unknown), expected some of \(known)")
        }
        return BenchmarkParts.all.filter { names.contains($0.name) }
    }

    private static func value(
        of option: String, _ rest: inout ArraySlice<String>
    ) throws(BenchmarkFailure) -> String {
        guard let value = rest.popFirst() else {
            throw BenchmarkFailure("\(option): a value is missing")
        }
        return value
    }

    private static func number(
        of option: String, _ rest: inout ArraySlice<String>
    ) throws(BenchmarkFailure) -> Int {
        let text = try value(of: option, &rest)
        guard let number = Int(text), number > 0 else {
            throw BenchmarkFailure("\(option): found \(text), expected a whole number above 0")
        }
        return number
    }
}
