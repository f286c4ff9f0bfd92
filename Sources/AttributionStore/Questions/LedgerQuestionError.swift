package import CodedErrors

/// Why a question is not answered, though the store could be read.
package enum LedgerQuestionError: Error, Hashable, Sendable {
    /// More cells than the question allows.
    case tooManyCells(limit: Int)
    /// The dimensions have so many values that their combinations cannot be numbered.
    case tooManyCombinations
    /// It took longer than the question allows.
    case deadlinePassed(Duration)
    /// The position is one of another store.
    case foreignPosition(LedgerPosition)
    /// The position is behind the newest postback: the store is older than the answer it was printed in.
    case futurePosition(LedgerPosition)
    /// Another postback has taken the position's: the store was restored from an older copy and has gone on.
    case replacedPosition(LedgerPosition)
}

extension LedgerQuestionError: CustomStringConvertible {
    /// What is wrong and what to do about it.
    package var description: String {
        switch self {
        case .tooManyCells(let limit):
            "the answer has more than \(limit) combinations of values; "
                + "name fewer dimensions, a shorter period, or a condition"
        case .tooManyCombinations:
            "the dimensions have too many values to be combined; name fewer of them"
        case .deadlinePassed(let limit):
            "counting took longer than \(limit.components.seconds) s; name a shorter period or fewer dimensions"
        case .foreignPosition(let position):
            "position \(position) belongs to another store"
        case .futurePosition(let position):
            "position \(position) is beyond the newest postback of this store, which may be an older copy"
        case .replacedPosition(let position):
            "position \(position) is gone: the store was restored from an older copy, and has recorded others since"
        }
    }
}

extension LedgerQuestionError: CodedError {
    /// The stable code.
    package var code: ErrorCode {
        switch self {
        case .tooManyCells, .tooManyCombinations: .tooLarge
        case .deadlinePassed: .tookTooLong
        case .foreignPosition, .futurePosition, .replacedPosition: .badField
        }
    }
}
