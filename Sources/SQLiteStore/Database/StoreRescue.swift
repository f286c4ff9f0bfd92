import AttributionStore
import Foundation
import GRDB
import GRDBSQLite

/// Saves what can be saved of a store whose files were lost, through the connection that still has them open.
struct StoreRescue {
    let path: String
    /// The newest postback acknowledged; nil for a file of other things.
    let newestRow: Int64?
    /// The newest postback known to be in the file itself, without the log; nil for a file of other things.
    let movedThrough: Int64?
    /// The frames in the log.
    let frames: Int
    let checkpoint: LogCheckpoint?

    /// Saves as much as the loss allows.
    ///
    /// - Parameters:
    ///   - loss: What happened.
    ///   - db: The writing connection, outside a transaction.
    /// - Returns: A message that says what was saved, where, and what to do.
    func save(after loss: StoreLoss, _ db: Database) -> String {
        switch loss {
        case .logDamaged, .indexTruncated:
            // A checkpoint would copy the damage into the store, and any query would read the damaged log.
            checkpoint?.stop()
            return loss == .indexTruncated
                ? "everything is in the store and its -wal; restart the server"
                : Self.withoutLog(path, movedThrough: movedThrough)
        case .storeTruncated:
            checkpoint?.stop()
            return newestRow == nil
                ? Self.setAside(path)
                : "move it, its -wal and its -shm away, and restore a backup: rows from any id on may be missing"
        case .logMoved, .indexMoved:
            let moved = checkpoint?.moveAll(SQLITE_CHECKPOINT_FULL, frames: frames, db)
            checkpoint?.stop()
            switch moved {
            case .complete:
                return "\(everything) was moved into the store; "
                    + "move away any files now at \(path)-wal and \(path)-shm, and restart"
            case .damaged:
                return Self.withoutLog(path, movedThrough: movedThrough)
            case .failed, nil:
                return backUp(db)
            }
        case .storeMoved:
            checkpoint?.stop()
            return backUp(db)
        }
    }

    /// The message for a lost log.
    static func withoutLog(_ path: String, movedThrough: Int64?) -> String {
        guard let movedThrough else { return setAside(path) }
        return "the store is as of its last checkpoint: rows from id \(movedThrough + 1) on may be missing; "
            + "restart, or move it, its -wal and its -shm away and restore a backup"
    }

    /// Moves a file of other things than postbacks away, because it must not go on with less than it had: a nonce would
    /// be answered again.
    private static func setAside(_ path: String) -> String {
        let aside = "\(path).damaged-\(stamp)"
        for suffix in ["", "-wal", "-shm"] where rename(path + suffix, aside + suffix) != 0 && errno != ENOENT {
            return "its newest commits may be missing; stop, move it, its -wal and its -shm away, and start"
        }
        return "its newest commits may be missing, so it was moved to \(aside); restart, or restore a backup"
    }

    private static var stamp: String {
        Date().ISO8601Format(.iso8601(timeZone: .gmt, dateSeparator: .omitted, timeSeparator: .omitted))
    }

    private var everything: String {
        newestRow.map { "everything up to row \($0)" } ?? "everything"
    }

    private func backUp(_ db: Database) -> String {
        let destination = "\(path).rescued-\(Self.stamp)"
        do {
            try StoreCopy.write(from: db, to: destination)
            return "\(everything) was copied to \(destination); "
                + "move it to \(path) and any files at \(path)-wal and \(path)-shm away, and restart"
        } catch let error as DatabaseError {
            return "it could not be copied to \(destination): \(StoreFault(error).words); "
                + "do not stop this process until its open files are saved (/proc/\(getpid())/fd)"
        } catch {
            return "it could not be copied to \(destination): \(error); "
                + "do not stop this process until its open files are saved (/proc/\(getpid())/fd)"
        }
    }
}
