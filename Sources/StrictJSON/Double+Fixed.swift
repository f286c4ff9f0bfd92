extension Double {
    /// The number with exactly `places` decimal places, rounded to nearest, independent of locale.
    package func fixed(places: Int) -> String {
        var scale = 1.0
        for _ in 0..<places {
            scale *= 10
        }
        let scaled = (self * scale).rounded()
        guard places > 0, scaled.magnitude < 1e15 else {
            return String(describing: self)
        }
        let whole = Int64(scaled.magnitude)
        let unit = Int64(scale)
        let fraction = String(whole % unit)
        let sign = scaled < 0 ? "-" : ""
        return "\(sign)\(whole / unit)." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
