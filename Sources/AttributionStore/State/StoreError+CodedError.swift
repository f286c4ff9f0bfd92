package import CodedErrors

extension StoreError: CodedError {
    /// The stable code.
    package var code: ErrorCode {
        switch self {
        case .missing, .noFolder: .noStore
        case .cannotOpen, .remoteFileSystem, .notAStore, .foreignDatabase, .newerSchema, .olderSchema, .logWithoutStore,
            .logUnreadable, .badAddress, .noClientLibrary, .notMigrated:
            .unusableStore
        case .inUse: .storeInUse
        case .fenced, .lost, .failed, .notSynchronous: .storeFailed
        }
    }
}
