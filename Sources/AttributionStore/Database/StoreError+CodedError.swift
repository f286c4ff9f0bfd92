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

    /// What to do about it, where the message does not say it.
    package var hint: String? {
        switch self {
        // libpq has one error for all that keeps it from connecting.
        case .failed(_, .noPrimary(_, isVerified: true)):
            "with sslmode=verify-ca or verify-full the server needs ssl = on, and a certificate that an authority in "
                + "sslrootcert= signed; with verify-full it has to name the host as the address does"
        case .failed(_, .notReplicated):
            "devices repeat what was answered 503; check the standbys that synchronous_standby_names names"
        default: nil
        }
    }
}
