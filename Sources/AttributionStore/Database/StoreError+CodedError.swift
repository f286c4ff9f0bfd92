package import CodedErrors

extension StoreError: CodedError {
    /// The stable code.
    package var code: ErrorCode {
        switch self {
        case .missing, .noFolder: .noStore
        case .cannotOpen, .remoteFileSystem, .notAStore, .foreignDatabase, .newerSchema, .olderSchema, .logWithoutStore,
            .logUnreadable:
            .unusableStore
        case .inUse: .storeInUse
        case .fenced, .lost, .failed: .storeFailed
        }
    }
}
