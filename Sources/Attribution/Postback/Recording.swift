/// What the store made of one delivery; every case is durable when it is returned.
public enum Recording: Hashable, Sendable {
    /// The first verified copy: counted.
    case recorded(Provenance)
    /// The same postback once more: not counted again.
    case duplicate(Provenance)
    /// A copy of a recorded postback that says something else in its unsigned fields: kept, not counted.
    case conflict(Provenance)
    /// Not a genuine postback: kept in quarantine as far as its bounds allow, not counted.
    case quarantined(PostbackRejection)

    /// The status in answers and stores.
    public enum Status: String, CaseIterable, Hashable, Sendable {
        /// ``Recording/recorded(_:)``
        case recorded
        /// ``Recording/duplicate(_:)``
        case duplicate
        /// ``Recording/conflict(_:)``
        case conflict
        /// ``Recording/quarantined(_:)``
        case quarantined
    }

    /// The status in answers and stores.
    public var status: Status {
        switch self {
        case .recorded: .recorded
        case .duplicate: .duplicate
        case .conflict: .conflict
        case .quarantined: .quarantined
        }
    }
}
