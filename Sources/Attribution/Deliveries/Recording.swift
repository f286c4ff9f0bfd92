/// The outcome of recording a delivery; durable when it is returned.
package enum Recording: Hashable, Sendable {
    /// The first verified copy: counted.
    case recorded(Traffic)
    /// A repeat of a recorded postback: not counted again.
    case duplicate(Traffic)
    /// A copy of a recorded postback that differs in its unsigned fields: not counted; its bytes are kept unless the
    /// quarantine is full.
    case conflict(Traffic, isKept: Bool = true)
    /// Not a genuine postback: not counted; its bytes are kept unless the quarantine is full.
    case quarantined(PostbackRejection, isKept: Bool = true)

    /// The status in answers and stores.
    package enum Status: String, CaseIterable, Hashable, Sendable {
        /// ``Recording/recorded(_:)``
        case recorded
        /// ``Recording/duplicate(_:)``
        case duplicate
        /// ``Recording/conflict(_:isKept:)``
        case conflict
        /// ``Recording/quarantined(_:isKept:)``
        case quarantined
    }

    /// The status in answers and stores.
    package var status: Status {
        switch self {
        case .recorded: .recorded
        case .duplicate: .duplicate
        case .conflict: .conflict
        case .quarantined: .quarantined
        }
    }

    /// Whether the bytes of this delivery, or of an earlier one with the same content, are in the store.
    package var isKept: Bool {
        switch self {
        case .recorded, .duplicate: true
        case .conflict(_, let isKept), .quarantined(_, let isKept): isKept
        }
    }
}
