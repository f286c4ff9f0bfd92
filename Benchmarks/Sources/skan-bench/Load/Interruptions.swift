/// How often and for how long the machine takes a busy core away, as one does that shares its processors with others.
///
/// No answer time can be shorter than that, however fast the server is.
struct Interruptions {
    /// How long each lasted, in milliseconds.
    let milliseconds: [Double]
    let perSecond: Double

    /// Shorter ones do not matter here.
    private static let shortest = 1.0

    /// Watches both cores, which it keeps busy meanwhile.
    static func watch(seconds: Double) throws -> Interruptions {
        let gaps = try parallel(2) {
            let whole = Stopwatch()
            var gaps: [Double] = []
            var last = 0.0
            while last < seconds {
                let now = whole.seconds
                if (now - last) * 1_000 >= shortest { gaps.append((now - last) * 1_000) }
                last = now
            }
            return gaps
        }
        return Interruptions(
            milliseconds: gaps.flatMap(\.self), perSecond: Double(gaps.joined().count) / seconds)
    }

    var description: String {
        guard let longest = milliseconds.max() else {
            return "nothing took a busy core away"
        }
        return """
            \(perSecond.shown) times a second the machine took one of the two busy cores away, for \
            \(milliseconds.median.shown) ms (median), at most \(longest.shown) ms
            """
    }
}
