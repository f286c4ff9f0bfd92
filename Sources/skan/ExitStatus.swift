/// The exit status of a run; thrown to exit after everything was printed.
///
/// Errors with a code have their status in `ErrorCode.exitStatus`.
enum ExitStatus: Int32, Error {
    /// A check failed.
    case negative = 1
    /// It could not be decided: usage, file, key, store.
    case undecided = 2
}
