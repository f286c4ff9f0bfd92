/// The state in which a store was closed.
package enum StoreEnding: Hashable, Sendable {
    /// One complete file, which can be copied and moved.
    case whole
    /// The file still needs its `-wal`.
    case logLeft(reason: String)
    /// The store was fenced or its files were lost, so it must not be closed; the process has to end with `_exit`.
    case abandoned
}
