/// What goes wrong between a device and the ledger, by name.
///
/// Delays befall the genuine delivery itself; all others come beside it: a further copy, changed or not.
package enum Fault: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    /// Delivered again a day later, though it was answered 200.
    case repeated
    /// Delivered hours late, after others that were sent later.
    case reordered
    /// Delivered days late.
    case delayed
    /// The connection is cut in the middle of a further copy.
    case cutConnection = "cut-connection"
    /// The body arrives in pieces.
    case slowBody = "slow-body"
    /// One signed field is changed.
    case tampered
    /// Two signed values change places.
    case movedValue = "moved-value"
    /// The conversion value, which nobody signs, is raised.
    case raisedConversion = "raised-conversion"
    /// Signed by a key nobody trusts.
    case wrongKey = "wrong-key"
    /// The next version is written over the right one.
    case versionUp = "version-up"
    /// The version before is written over the right one.
    case versionDown = "version-down"
    /// The letter case of the id is changed.
    case letterCase = "letter-case"
    /// A pipeline fills absent numbers with zeros.
    case zeroFilled = "zero-filled"
    /// A forwarder makes a number a string.
    case retypedNumber = "retyped-number"
    /// A forwarder makes a boolean a number.
    case retypedBoolean = "retyped-boolean"
    /// Every slash is escaped, as some systems do; the same postback.
    case escapedSlashes = "escaped-slashes"
    /// The base64 of the signature has padding it should not have.
    case padding
    /// The base64 of the signature has the other alphabet.
    case otherAlphabet = "other-alphabet"
    /// A byte order mark stands before the object.
    case byteOrderMark = "byte-order-mark"
    /// One name occurs twice.
    case duplicateName = "duplicate-name"
    /// U+2063, which joins signed values, is inside one.
    case separator
    /// The end is missing.
    case truncated
    /// A postback that Apple's development key signed is aimed at production.
    case development

    package var description: String {
        rawValue
    }

    /// Whether it befalls the genuine delivery, and delays it.
    package var isDelay: Bool {
        self == .reordered || self == .delayed
    }

    /// By how much it delays, in milliseconds.
    func delay(using generator: inout SeededGenerator) -> Int64 {
        switch self {
        case .reordered: Int64.random(in: AppleRules.hour...12 * AppleRules.hour, using: &generator)
        case .delayed: Int64.random(in: AppleRules.day...8 * AppleRules.day, using: &generator)
        default: 0
        }
    }
}
