package import Attribution

/// Why a question is not answered although the store can be read.
package enum LedgerQuestionError: Error, Hashable, Sendable {
    /// The answer has more cells than the limit.
    case tooManyCells(limit: Int)
    /// More is known of ads than the limit.
    case tooManyCosts(limit: Int)
    /// The dimensions have so many values that a combination does not fit into a key.
    case tooManyCombinations
    /// Counting took longer than the limit.
    case deadlinePassed(Duration)
    /// The position belongs to another store.
    case foreignPosition(LedgerPosition)
    /// The position is beyond the newest postback: the store is an older copy of the one that printed it.
    case futurePosition(LedgerPosition)
    /// The position's id belongs to another postback, because the store was restored from an older copy and recorded
    /// more.
    case replacedPosition(LedgerPosition)
}

extension LedgerQuestionError: CustomStringConvertible {
    /// What is wrong and what to do about it.
    package var description: String {
        switch self {
        case .tooManyCells(let limit):
            "the answer has more than \(limit) combinations of values; "
                + "name fewer dimensions, a shorter period, or a condition"
        case .tooManyCosts(let limit):
            "more than \(limit) rows of signed impressions and spend are asked for; "
                + "name a shorter period with --from and --to, or a network or an app with --where"
        case .tooManyCombinations:
            "the dimensions have too many values to combine; name fewer dimensions"
        case .deadlinePassed(let limit):
            "counting took longer than \(limit.components.seconds) s; name a shorter period or fewer dimensions"
        case .foreignPosition(let position):
            "position \(position) belongs to another store"
        case .futurePosition(let position):
            "position \(position) is beyond the newest postback of this store, which may be an older copy"
        case .replacedPosition(let position):
            "position \(position) is gone: the store was restored from an older copy and has recorded other postbacks"
        }
    }
}

extension LedgerQuestionError: CodedError {
    package var code: ErrorCode {
        switch self {
        case .tooManyCells, .tooManyCosts, .tooManyCombinations: .tooLarge
        case .deadlinePassed: .tookTooLong
        case .foreignPosition, .futurePosition, .replacedPosition: .badField
        }
    }
}
