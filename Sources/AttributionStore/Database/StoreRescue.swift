import Foundation
import GRDB
import GRDBSQLite

/// Saves what can be saved of a store whose files were taken away, through the connection that still has them open.
struct StoreRescue {
    let path: String
    /// The newest acknowledged row.
    let newestRow: Int64
    /// The newest row of which the file itself has everything.
    let movedThrough: Int64
    /// The frames in the log.
    let frames: Int
    let checkpoint: LogCheckpoint?

    /// Does what a loss allows.
    ///
    /// - Parameters:
    ///   - loss: What happened.
    ///   - db: The writing connection, outside a transaction.
    /// - Returns: What was saved where, and what to do, in words.
    func save(after loss: StoreLoss, _ db: Database) -> String {
        switch loss {
        case .logDamaged, .indexTruncated:
            // A checkpoint would copy the damage into the store, and SQLite would read the log to find anything out.
            checkpoint?.stop()
            return loss == .indexTruncated
                ? "everything is in the store and its -wal; restart to go on"
                : Self.withoutLog(movedThrough: movedThrough)
        case .storeTruncated:
            checkpoint?.stop()
            return "restore a backup: rows from any id on may be missing"
        case .logMoved, .indexMoved:
            let moved = checkpoint?.moveAll(SQLITE_CHECKPOINT_FULL, frames: frames, db)
            checkpoint?.stop()
            switch moved {
            case .complete:
                return "everything up to row \(newestRow) was moved into the store; "
                    + "move away what may be at \(path)-wal and \(path)-shm now, and restart"
            case .damaged:
                return Self.withoutLog(movedThrough: movedThrough)
            case .failed, nil:
                return backUp(db)
            }
        case .storeMoved:
            checkpoint?.stop()
            return backUp(db)
        }
    }

    /// What an operator must know when the log is gone.
    static func withoutLog(movedThrough: Int64) -> String {
        "the store is left as of its last checkpoint: rows from id \(movedThrough + 1) on may be missing; "
            + "restore a backup or restart"
    }

    private func backUp(_ db: Database) -> String {
        let stamp = Date().ISO8601Format(.iso8601(timeZone: .gmt, dateSeparator: .omitted, timeSeparator: .omitted))
        let destination = "\(path).rescued-\(stamp)"
        do {
            try StoreCopy.write(from: db, to: destination)
            return "everything up to row \(newestRow) was copied to \(destination); move it to \(path) and restart"
        } catch let error as DatabaseError {
            return "it could not be copied to \(destination): \(StoreFault(error).words); "
                + "do not end this process before its open files were saved (/proc/\(getpid())/fd)"
        } catch {
            return "it could not be copied to \(destination): \(error); "
                + "do not end this process before its open files were saved (/proc/\(getpid())/fd)"
        }
    }
}
