import Attribution

extension Conversion {
    /// Whether it is a value from 0 to 63.
    var isFine: Bool {
        if case .fine = self { true } else { false }
    }

    /// Whether it is `low`, `medium` or `high`.
    var isCoarse: Bool {
        if case .coarse = self { true } else { false }
    }

    /// Whether it is neither: absent, null or invalid.
    var isNone: Bool {
        !isFine && !isCoarse
    }
}
