/// How a run ended, for scripts; thrown to end with a status after everything was printed.
enum ExitStatus: Int32, Error {
    /// Something judged is not as it should be.
    case negative = 1
    /// It could not be decided: usage, file, key, store.
    case undecided = 2
}
