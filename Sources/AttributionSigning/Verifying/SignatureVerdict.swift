/// What became of the question whether a signature is a key's.
enum SignatureVerdict: Equatable, Sendable {
    /// It is.
    case valid
    /// It is not.
    case invalid
    /// It could not be found out, for a reason that lies with this machine and not with the signature.
    case undecided(reason: String)
}
