import Foundation
import GRDB

/// A copy of a store and its web ads, made with or without a running owner.
package struct StoreBackup: Sendable {
    /// The copy of the store.
    package let path: String
    /// The recorded postbacks in it.
    package let postbacks: Int64
    /// The deliveries in its quarantine.
    package let quarantined: Int64
    /// The copy of the web ads; nil when the store has none.
    package let webAds: WebAds?

    /// The copy of the web ads.
    package struct WebAds: Sendable {
        package let path: String
        package let count: Int64
        /// The unanswered ads that were expired in the copy.
        package let expired: Int64
    }

    /// Copies a store, and the web ads beside it.
    ///
    /// Each file is copied in one read transaction under a temporary name, checked (SQLite's `quick_check`, and the row
    /// count of every table), and renamed once it is on disk. Existing files are never overwritten.
    ///
    /// Unanswered web ads are expired in the copy. Otherwise an ad tapped after the backup could be answered again
    /// after a restore.
    ///
    /// - Parameters:
    ///   - store: The store's file.
    ///   - destination: The new file; the web ads get its name with `-web-ads`.
    ///   - keepsNonces: Leaves unanswered web ads as they are, for a copy whose original is never served again.
    ///   - now: The current time, in Unix milliseconds.
    /// - Returns: What was copied.
    /// - Throws: ``AttributionStore/StoreError`` for the store, ``BackupError`` for the copies; neither file is left
    ///   behind.
    package static func make(
        of store: String,
        to destination: String,
        keepsNonces: Bool = false,
        nowMilliseconds now: Int64
    ) throws -> StoreBackup {
        let source = try BackupSource(store, LedgerSchema.schema)
        let ads = SQLiteWebAdLedger.path(besideStore: source.path)
        let copiedAds = FileStatus(path: ads) == nil ? nil : SQLiteWebAdLedger.path(besideStore: destination)
        // First, because a failure here must not come after a long copy of the store.
        let adsCopy = try copiedAds.map { path in
            try CheckedCopy(
                of: try BackupSource(ads, WebAdSchema.schema), as: path,
                change: keepsNonces ? nil : (WebAdSchema.expiry, ["now": now]))
        }
        let copy: CheckedCopy
        do {
            copy = try CheckedCopy(of: source, as: destination, change: nil)
        } catch {
            adsCopy?.discard()
            throw error
        }
        do {
            // The store is published last: if it exists, the backup is complete.
            try adsCopy?.publish()
        } catch {
            copy.discard()
            throw error
        }
        do {
            try copy.publish()
        } catch {
            adsCopy?.withdraw()
            throw error
        }
        return StoreBackup(
            path: destination, postbacks: copy.rows["postback"] ?? 0, quarantined: copy.rows["quarantine"] ?? 0,
            webAds: adsCopy.map { ads in
                WebAds(path: copiedAds ?? "", count: ads.rows["web_ad"] ?? 0, expired: ads.changed)
            })
    }
}

extension WebAdSchema {
    /// Expires every unanswered ad, including those issued for a later time.
    fileprivate static let expiry = """
        UPDATE web_ad SET issued_at = min(issued_at, :now - 1), expires_at = :now
        WHERE answered_at IS NULL AND expires_at > :now
        """
}
