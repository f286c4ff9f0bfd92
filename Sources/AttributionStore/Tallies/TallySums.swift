import Attribution

/// Which postbacks fall on which row of one family, kept in memory until they are worth writing.
///
/// A postback costs a look-up and four bytes: the postbacks of a row are a chain through an array, and its counts are
/// summed when they are written.
struct TallySums: Sendable {
    let family: TallyFamily
    /// The places of its dimensions among all that are stored.
    private let places: [Int]
    /// The rows: the place of their app in four bytes, then their key as ``TallyRows`` has it.
    private var rows = ByteStringIndex()
    /// The last postback of each row, by its number in the backlog.
    private var last: [UInt32] = []
    /// The postback before each in its row; ``none`` for a row's first, and for those that are not counted here.
    private var previous: [UInt32] = []

    private static let none = UInt32.max

    init(_ family: TallyFamily) {
        self.family = family
        places = ReportDimension.places(of: family.dimensions)
    }

    /// Counts the next postback of the backlog.
    ///
    /// - Parameters:
    ///   - app: The place of its app; nil when the family does not lack the postback.
    ///   - values: The values of its stored dimensions.
    mutating func count(app: Int?, _ values: [String]) {
        guard let app else {
            previous.append(Self.none)
            return
        }
        let postback = UInt32(previous.count)
        let row = rows.place { key in
            withUnsafeBytes(of: UInt32(app)) { key.append(contentsOf: $0) }
            key.append(family.code)
            for place in places {
                key.appendPacked(values[place])
            }
        }
        if row == last.count {
            last.append(postback)
            previous.append(Self.none)
        } else {
            previous.append(last[row])
            last[row] = postback
        }
    }

    /// The rows of each app.
    ///
    /// - Parameter apps: How many apps there are.
    /// - Returns: Numbers of rows by the place of their app.
    func rowsByApp(_ apps: Int) -> [[Int]] {
        var byApp: [[Int]] = Array(repeating: [], count: apps)
        for row in last.indices {
            byApp[rows[row].withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }].append(row)
        }
        return byApp
    }

    /// The key of a row.
    func key(_ row: Int) -> ArraySlice<UInt8> {
        rows[row].dropFirst(4)
    }

    /// Adds what a row's postbacks count as.
    ///
    /// - Parameters:
    ///   - row: The row's number.
    ///   - traits: The traits of the postbacks by their numbers.
    ///   - metrics: What is added to.
    func add(_ row: Int, _ traits: [CountedTraits], to metrics: inout Metrics) {
        var postback = last[row]
        while postback != Self.none {
            metrics.count(traits[Int(postback)])
            postback = previous[Int(postback)]
        }
    }

    /// The row of an app with a key, if it was counted.
    mutating func row(app: Int, _ key: UnsafeRawBufferPointer) -> Int? {
        rows.known { bytes in
            withUnsafeBytes(of: UInt32(app)) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: key)
        }
    }

    /// Forgets everything.
    mutating func removeAll() {
        rows.removeAll()
        last.removeAll(keepingCapacity: true)
        previous.removeAll(keepingCapacity: true)
    }
}
