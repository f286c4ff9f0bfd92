/// The id of one install validation, by which repeats are discarded.
///
/// A UUID in upper or lower case, compared as received, for its text is signed. All versions.
///
/// - SeeAlso: [transaction-id](https://developer.apple.com/documentation/storekit/identifying-the-parameters-in-a-postback)
public typealias TransactionID = SignableText<TransactionIDKind>

/// Tells ``TransactionID`` from other texts.
public enum TransactionIDKind {}
