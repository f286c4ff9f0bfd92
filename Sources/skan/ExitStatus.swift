/// How a run ended, for scripts; thrown to end with a status after everything was printed.
///
/// What goes wrong with a code has its status in `ErrorCode.exitStatus`.
enum ExitStatus: Int32, Error {
    /// Something judged is not as it should be.
    case negative = 1
    /// It could not be decided: usage, file, key, store.
    case undecided = 2
}
