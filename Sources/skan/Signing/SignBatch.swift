import Attribution
import AttributionIngest
import AttributionServer
import AttributionSigning
import Foundation

/// Signs the orders in a file on all cores, and writes the answers in the order of its lines.
struct SignBatch {
    /// What it signs with.
    enum Keys: Sendable {
        /// One key, for every network.
        case one(ImpressionSigner)
        /// A list of keys.
        case many(NetworkSigner)

        /// The signer of an order's impression; a list of keys has no ids but those that Apple can have given.
        func signer(for impression: Impression) throws -> ImpressionSigner {
            switch self {
            case .one(let signer):
                _ = try AdNetworkID.ofSetting(impression.adNetworkID.text, field: "ad-network-id")
                return signer
            case .many(let signer): return try signer.signer(for: impression)
            }
        }

        /// The external signers of the keys, connected.
        func externalSigners() async -> ExternalSigners {
            switch self {
            case .one: await ExternalSigners(connectedTo: [])
            case .many(let signer): await ExternalSigners(connectedTo: signer.externalKeys)
            }
        }
    }

    private let keys: Keys
    private let time: UnixMilliseconds?

    /// How many refused lines are named on standard error; all of them are among the answers.
    private static let namedRefusals = 20

    init(keys: Keys, time: Int64?) {
        self.keys = keys
        self.time = time.map(UnixMilliseconds.init)
    }

    /// Signs a file, or standard input for `-`.
    ///
    /// Throws ``ExitStatus/negative`` if a line was refused.
    func run(_ file: String) async throws {
        Terminal.exitAtClosedPipe()
        let lines = try WholeLines(file)
        let keys = Self.withTables(keys)
        let externalSigners = await keys.externalSigners()
        var (signed, refused) = (0, 0)
        func write(_ answers: ImpressionBatch.Answers) {
            if !answers.refusals.isEmpty {
                Terminal.exitAtClosedPipe(with: .negative)
            }
            Terminal.write(bytes: answers.text)
            signed += answers.signed
            for refusal in answers.refusals.prefix(max(0, Self.namedRefusals - refused)) {
                Terminal.progress("")
                Terminal.say(
                    "skan: \(file == "-" ? "standard input" : file): line \(refusal.line): \(refusal.error.message)")
            }
            refused += answers.refusals.count
            Terminal.progress("\(file): \(signed) signed, \(refused) refused\(lines.progress)")
        }
        // A bounded number of pieces is signed ahead of the one that is written next.
        var waiting: [Task<ImpressionBatch.Answers, any Error>] = []
        defer { waiting.forEach { $0.cancel() } }
        while let piece = try lines.next() {
            waiting.append(Task { try await answers(piece, keys, externalSigners) })
            if waiting.count >= 2 * ProcessInfo.processInfo.activeProcessorCount {
                write(try await waiting.removeFirst().value)
            }
        }
        for task in waiting {
            write(try await task.value)
        }
        Terminal.progress("")
        guard signed + refused > 0 else {
            throw CommandFailure(
                "no order in \(file == "-" ? "standard input" : file)", hint: "give it one JSON object per line")
        }
        Terminal.finish()
        Terminal.say(
            "skan: signed \(signed), refused \(refused)"
                + (refused > Self.namedRefusals ? "; the answers name all that were refused" : ""))
        guard refused == 0 else {
            throw ExitStatus.negative
        }
    }

    private func answers(
        _ piece: WholeLines.Piece, _ keys: Keys, _ externalSigners: ExternalSigners
    ) async throws -> ImpressionBatch.Answers {
        var generator = SystemRandomNumberGenerator()
        return try await ImpressionBatch(reading: piece.bytes, from: piece.firstLine, omitting: piece.omitted).answers(
            at: time ?? UnixMilliseconds(Date()), using: &generator,
            requesting: { await externalSigners.signatures(for: $0) }, signer: { try keys.signer(for: $0) })
    }

    /// The same keys with tables to verify their signatures with, if they can be made.
    private static func withTables(_ keys: Keys) -> Keys {
        do {
            switch keys {
            case .one(var signer):
                try signer.prepareTables()
                return .one(signer)
            case .many(var signer):
                try signer.prepareTables()
                return .many(signer)
            }
        } catch {
            Terminal.say("skan: warning: verifying with OpenSSL alone, many times slower: \(error)")
            return keys
        }
    }
}

/// A file in pieces that end where a line ends.
private final class WholeLines {
    struct Piece: Sendable {
        let bytes: [UInt8]
        /// The number of its first line, from 1.
        let firstLine: Int
        /// How many bytes of that line were not kept.
        let omitted: Int
    }

    private let stream: FileStream
    private var pending: [UInt8] = []
    private var omitted = 0
    private var line = 1

    init(_ file: String) throws {
        stream = try FileStream(file)
    }

    /// How much of the file was read, for display.
    var progress: String { stream.progress }

    /// The next piece, or nil at the end.
    func next() throws -> Piece? {
        while let bytes = try stream.next() {
            guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
                // Of a line that is too long, enough is kept to be refused.
                let kept = bytes.prefix(max(0, ImpressionBatch.orderLimit + 1 - pending.count))
                pending += kept
                omitted += bytes.count - kept.count
                continue
            }
            let piece = Piece(bytes: pending + bytes[...end], firstLine: line, omitted: omitted)
            (pending, omitted) = (Array(bytes[(end + 1)...]), 0)
            line += piece.bytes.count { $0 == UInt8(ascii: "\n") }
            return piece
        }
        guard !pending.isEmpty else {
            return nil
        }
        defer { pending = [] }
        return Piece(bytes: pending, firstLine: line, omitted: omitted)
    }
}
