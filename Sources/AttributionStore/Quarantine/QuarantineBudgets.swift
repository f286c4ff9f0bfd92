package import Attribution

/// A class of quarantined deliveries; each has its own budget, so that none crowds out another.
package enum QuarantineClass: String, CaseIterable, Hashable, Sendable {
    /// Bodies that cannot be postbacks, because fields are missing or invalid.
    case garbage
    /// Bodies whose signature does not verify.
    case forged
    /// Copies of a recorded postback that differ from it in unsigned fields.
    case conflict
    /// Postbacks whose signature verifies, with signed values that this release does not know; acknowledged only if kept.
    case unknown
    /// Postbacks with an unknown version or key, to be judged again after an upgrade; acknowledged only if kept.
    case future

    /// Whether a body may be genuine, so that it is kept or sent again.
    package var isKeptOrRefused: Bool { self == .unknown || self == .future }

    /// The classes whose oldest bodies are deleted for one of this class: possibly genuine bodies never are, and
    /// forgeries not for garbage.
    package var victims: [QuarantineClass] {
        self == .garbage ? [.garbage] : [.garbage, .forged]
    }

    /// The class of a rejected body.
    package init(_ rejection: PostbackRejection) {
        self =
            switch rejection {
            case .notJSON, .malformed: .garbage
            case .invalidSignature: .forged
            case .notUnderstood: .unknown
            case .unknownVersion, .unknownKey: .future
            }
    }
}

/// How much the quarantine keeps; beyond that, deliveries are only counted, so that a flood cannot fill the disk.
package struct QuarantineBudgets: Hashable, Sendable {
    /// The budget of one class for an hour.
    package struct Hourly: Hashable, Sendable {
        /// The most bodies.
        package var rows: Int64
        /// The most bytes of bodies.
        package var bytes: Int64

        package init(rows: Int64, bytes: Int64) {
            self.rows = rows
            self.bytes = bytes
        }
    }

    /// The hourly budgets by class; production, foreign, development and test each have one of class `unknown`.
    package var hourly: [QuarantineClass: Hourly]
    /// One client network may use an hour's budget divided by this number; but of class `unknown`, which only Apple's
    /// and the trusted test keys fill, all of it.
    package var shares: Int64
    /// The most bytes of all bodies; class `unknown` may take a quarter more.
    ///
    /// Beyond that, the oldest garbage is deleted, then the oldest forgeries.
    package var totalBytes: Int64
    /// The most different contents kept that contradict one recorded postback.
    package var contentsPerPostback: Int

    /// Creates budgets.
    ///
    /// - Parameters:
    ///   - hourly: By default 4,000 bodies and 8 MiB of garbage, 8,000 and 16 MiB each of forgeries and conflicts, and
    ///     100,000 and 64 MiB each of the classes `unknown` and `future`, which may be genuine postbacks.
    ///   - shares: By default 4, so that one client network leaves three quarters to others.
    ///   - totalBytes: By default 1 GiB.
    ///   - contentsPerPostback: By default 8.
    package init(
        hourly: [QuarantineClass: Hourly] = [
            .garbage: Hourly(rows: 4_000, bytes: 8 << 20), .forged: Hourly(rows: 8_000, bytes: 16 << 20),
            .conflict: Hourly(rows: 8_000, bytes: 16 << 20), .unknown: Hourly(rows: 100_000, bytes: 64 << 20),
            .future: Hourly(rows: 100_000, bytes: 64 << 20),
        ],
        shares: Int64 = 4,
        totalBytes: Int64 = 1 << 30,
        contentsPerPostback: Int = 8
    ) {
        self.hourly = hourly
        self.shares = shares
        self.totalBytes = totalBytes
        self.contentsPerPostback = contentsPerPostback
    }
}
