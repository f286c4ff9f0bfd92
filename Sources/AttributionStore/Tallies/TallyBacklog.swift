import Attribution

/// What the tallies lack: the postbacks behind each family's mark.
struct TallyBacklog: Sendable {
    private var appIndex = ByteStringIndex()
    private var apps: [TallyApp] = []
    /// What each postback counts as, in the order in which they were counted.
    private var traits: [CountedTraits] = []
    private var sums = TallyFamily.allCases.map { TallySums($0) }

    private static let sharedPlaces = ReportDimension.places(of: TallyFamily.shared)

    /// How many postbacks there are.
    var count: Int {
        traits.count
    }

    /// How many apps they speak of, on how many days.
    var appCount: Int {
        apps.count
    }

    /// Counts a postback in every family that lacks it.
    ///
    /// - Parameters:
    ///   - traits: What it counts as.
    ///   - values: The values of its stored dimensions.
    ///   - traffic: Which numbers it enters.
    ///   - receivedAtMilliseconds: When it was received.
    ///   - isLacking: Whether a family lacks it.
    mutating func count(
        _ traits: CountedTraits,
        _ values: [String],
        traffic: Traffic,
        receivedAtMilliseconds: Int64,
        in isLacking: (TallyFamily) -> Bool = { _ in true }
    ) {
        let day = receivedAtMilliseconds.flooredQuotient(by: TallyFamily.dayMilliseconds)
        let app = place(day, traffic, values)
        self.traits.append(traits)
        for place in sums.indices {
            sums[place].count(app: isLacking(sums[place].family) ? app : nil, values)
        }
    }

    /// Counts postbacks in every family.
    mutating func count(_ postbacks: [CountedPostback]) {
        for postback in postbacks {
            count(
                postback.traits, postback.values, traffic: postback.traffic,
                receivedAtMilliseconds: postback.receivedAtMilliseconds)
        }
    }

    private mutating func place(_ day: Int64, _ traffic: Traffic, _ values: [String]) -> Int {
        let place = appIndex.place { key in
            withUnsafeBytes(of: day) { key.append(contentsOf: $0) }
            key.appendPacked(traffic.rawValue)
            for place in Self.sharedPlaces {
                key.appendPacked(values[place])
            }
        }
        if place == apps.count {
            let shared = Self.sharedPlaces.map { values[$0] }
            apps.append(
                TallyApp(
                    day: day, traffic: traffic, framework: shared[0], adNetworkID: shared[1], appID: shared[2]))
        }
        return place
    }

    /// Hands over the sums of each app, packed as rows.
    ///
    /// - Parameter merge: Takes an app, how many rows it has, and a function that gives them, with those of a part in
    ///   them unless there is none.
    /// - Throws: What `merge` throws.
    mutating func forEachApp(
        _ merge: (TallyApp, Int, (UnsafeRawBufferPointer?) throws -> TallyRows) throws -> Void
    ) throws {
        let rows = sums.map { $0.rowsByApp(apps.count) }
        for app in apps.indices {
            let rows = rows.map { $0[app] }
            let count = rows.joined().count
            if count > 0 {
                try merge(apps[app], count) { try merged(rows, of: app, with: $0) }
            }
        }
    }

    /// The rows of an app in each family, with those of a part in them.
    private mutating func merged(
        _ rows: [[Int]],
        of app: Int,
        with part: UnsafeRawBufferPointer?
    ) throws -> TallyRows {
        var packed = TallyRows(capacity: (part?.count ?? 0) + rows.joined().count * 32)
        // One for all rows: its memory is larger than most rows.
        var metrics = Metrics()
        var isMerged = sums.map { _ in Set<Int>() }
        if let part {
            try TallyRows.each(in: part) { stored in
                guard let place = sums.firstIndex(where: { $0.family == stored.family }),
                    let row = sums[place].row(app: app, stored.key)
                else {
                    return packed.append(stored.bytes)
                }
                metrics.removeAll()
                try metrics.add(encoded: stored.counts)
                sums[place].add(row, traits, to: &metrics)
                packed.append(key: stored.key, metrics)
                isMerged[place].insert(row)
            }
        }
        for place in sums.indices {
            for row in rows[place] where !isMerged[place].contains(row) {
                metrics.removeAll()
                sums[place].add(row, traits, to: &metrics)
                packed.append(key: sums[place].key(row), metrics)
            }
        }
        return packed
    }

    /// Forgets everything.
    mutating func removeAll() {
        appIndex.removeAll()
        apps.removeAll(keepingCapacity: true)
        traits.removeAll(keepingCapacity: true)
        for place in sums.indices {
            sums[place].removeAll()
        }
    }
}

/// A postback as the tallies see it.
struct CountedPostback: Sendable {
    let traits: CountedTraits
    /// The values of its stored dimensions.
    let values: [String]
    let traffic: Traffic
    let receivedAtMilliseconds: Int64
}
