import Attribution
import AttributionServer
import AttributionSigning
import Foundation
import StrictJSON
import Synchronization
import Testing

@Suite("A conversation with an external signer")
struct SignerExchangeTests {
    /// What the requests were answered, by their numbers.
    private final class Results: Sendable {
        let all = Mutex<[Int: Result<[UInt8], ExternalSignerError>]>([:])
        let count = Mutex(0)
    }

    /// A conversation whose time and signer are the test's.
    private final class Conversation {
        var exchange: SignerExchange
        let key: ExternalKey
        let privateKey: NetworkPrivateKey
        private(set) var lines: [(id: Int64, digest: [UInt8])] = []
        /// The names of the keys that they are for.
        private(set) var keys: [Int64: String] = [:]
        private(set) var isClosed = false
        private(set) var noted: [SignerExchange.Condition] = []
        private(set) var faults: [ExternalSignerError] = []
        private let results = Results()

        init(_ limits: SignerExchange.Limits = SignerExchange.Limits()) throws {
            exchange = SignerExchange(socket: "s", limits: limits)
            privateKey = try .generate(.p256)
            key = ExternalKey(socket: "s", id: "k", publicKey: try privateKey.publicKey())
        }

        var answers: [Int: Result<[UInt8], ExternalSignerError>] {
            results.all.withLock { $0 }
        }

        /// How many answers were given, also to the same request.
        var count: Int {
            results.count.withLock { $0 }
        }

        var successes: Int {
            answers.values.count { if case .success = $0 { true } else { false } }
        }

        func act(_ actions: [SignerExchange.Action]) throws {
            for action in actions {
                switch action {
                case .send(let bytes):
                    for line in bytes.split(separator: UInt8(ascii: "\n")) {
                        let object = try JSONObject(reading: line)
                        guard case .integer(let id)? = object["id"], case .string(let digest)? = object["digest"] else {
                            Issue.record("not a request")
                            return
                        }
                        guard case .string(let key)? = object["key"] else {
                            Issue.record("no key")
                            return
                        }
                        keys[id] = key
                        lines.append((id, try #require(Base64.decode(digest))))
                    }
                case .answer(let answer, let result): answer(result)
                case .close: isClosed = true
                case .noteCondition(let condition): noted.append(condition)
                case .noteFault(_, let error): faults.append(error)
                }
            }
        }

        /// Requests a signature over a digest of 32 times this number.
        func submit(_ number: Int, with other: ExternalKey? = nil, after time: Duration = .zero) throws {
            let request = SignatureRequest(
                key: other ?? key, digest: Array(repeating: UInt8(truncatingIfNeeded: number), count: 32))
            let actions = exchange.submit(request, at: start + time) { [results] result in
                results.all.withLock { $0[number] = result }
                results.count.withLock { $0 += 1 }
            }
            try act(actions)
        }

        func receive(_ text: String, after time: Duration = .zero) throws {
            try act(exchange.received(Array(text.utf8), at: start + time))
        }

        func sign(_ line: (id: Int64, digest: [UInt8]), after time: Duration = .zero) throws {
            let signature = try privateKey.signature(digest: line.digest)
            try receive("{\"id\": \(line.id), \"signature\": \"\(Base64.encode(signature))\"}\n", after: time)
        }

        /// Connects, and signs the sample.
        func begin() throws {
            exchange.connected(at: start)
            try act(exchange.sample([key], digest: Array(repeating: 0, count: 32), at: start))
            try sign(lines.removeFirst())
        }

        func expire(after time: Duration) throws {
            try act(exchange.expire(at: start + time))
        }
    }

    @Test("Nothing is requested before the signer has answered a sample, and a right one makes the key usable")
    func sample() throws {
        let signer = try Conversation()
        try signer.submit(1)
        #expect(signer.answers[1] == .failure(.away(socket: "s", reason: "it was not reached yet")))
        signer.exchange.connected(at: start)
        try signer.act(signer.exchange.sample([signer.key], digest: Array(repeating: 9, count: 32), at: start))
        try signer.submit(2)
        #expect(signer.answers[2] == .failure(.away(socket: "s", reason: "it was not reached yet")))
        #expect(signer.exchange.verdict(on: signer.key) == nil)
        #expect(signer.lines.map(\.digest) == [Array(repeating: 9, count: 32)])
        #expect(signer.keys.values.map(\.self) == ["k"])
        try signer.sign(signer.lines[0])
        #expect(signer.noted == [.present])
        try #require(signer.exchange.verdict(on: signer.key)).get()
    }

    @Test("A key that the signer refuses, or that is another one, is known before it is used")
    func wrongKey() throws {
        let refusing = try Conversation()
        refusing.exchange.connected(at: start)
        try refusing.act(refusing.exchange.sample([refusing.key], digest: Array(repeating: 0, count: 32), at: start))
        try refusing.receive("{\"id\": 1, \"error\": \"no-such-key\"}\n")
        #expect(refusing.faults == [.refused(key: "k", reason: "no-such-key")])
        let other = try Conversation()
        other.exchange.connected(at: start)
        try other.act(other.exchange.sample([other.key], digest: Array(repeating: 0, count: 32), at: start))
        let signature = try NetworkPrivateKey.generate(.p256).signature(digest: other.lines[0].digest)
        try other.receive("{\"id\": 1, \"signature\": \"\(Base64.encode(signature))\"}\n")
        #expect(other.faults == [.wrongSignature(key: "k")])
        #expect(throws: ExternalSignerError.wrongSignature(key: "k")) {
            try #require(other.exchange.verdict(on: other.key)).get()
        }
    }

    @Test("Answers may come in any order and in any pieces, and each goes to its own request")
    func order() throws {
        let signer = try Conversation()
        try signer.begin()
        for number in 1...20 { try signer.submit(number) }
        #expect(signer.lines.count == 20)
        var text = ""
        for line in signer.lines.reversed() {
            text += "{\"id\": \(line.id), \"signature\": \"\(Base64.encode(line.digest))\"}\n"
        }
        for character in text { try signer.receive(String(character)) }
        #expect(signer.answers.count == 20)
        for (number, answer) in signer.answers {
            #expect(answer == .success(Array(repeating: UInt8(number), count: 32)))
        }
        #expect(!signer.isClosed)
    }

    @Test("The signer has a bounded number of requests at once, a bounded number waits, and the rest is refused")
    func bounds() throws {
        let signer = try Conversation(SignerExchange.Limits(inFlight: 3, waiting: 4))
        try signer.begin()
        for number in 1...10 { try signer.submit(number) }
        #expect(signer.lines.count == 3)
        #expect(signer.answers == [8, 9, 10].reduce(into: [:]) { $0[$1] = .failure(.busy(socket: "s")) })
        var index = 0
        while index < signer.lines.count {
            try signer.sign(signer.lines[index])
            index += 1
            #expect(signer.lines.count == min(7, index + 3))
        }
        #expect(signer.answers.values.count { if case .success = $0 { true } else { false } } == 7)
    }

    @Test("What one request waits for too long is late, and an answer after that is for no one")
    func late() throws {
        let signer = try Conversation()
        try signer.begin()
        try signer.submit(1)
        try signer.submit(2, after: .milliseconds(400))
        try signer.sign(signer.lines[1], after: .milliseconds(450))
        try signer.expire(after: .milliseconds(499))
        #expect(signer.answers.keys.sorted() == [2])
        try signer.expire(after: .milliseconds(500))
        #expect(signer.answers[1] == .failure(.late(socket: "s")))
        try signer.sign(signer.lines[0], after: .milliseconds(600))
        #expect(signer.answers[1] == .failure(.late(socket: "s")))
        #expect(!signer.isClosed && signer.exchange.condition == .present)
    }

    @Test("What is late still counts as the signer's until it is answered, and its answer is for no one")
    func abandoned() throws {
        let signer = try Conversation(SignerExchange.Limits(inFlight: 2))
        try signer.begin()
        for number in 1...2 { try signer.submit(number) }
        try signer.receive("{\"id\": 99, \"error\": \"a\"}\n", after: .milliseconds(400))
        try signer.expire(after: .milliseconds(500))
        #expect(signer.answers == [1, 2].reduce(into: [:]) { $0[$1] = .failure(.late(socket: "s")) })
        try signer.submit(3, after: .milliseconds(600))
        #expect(signer.lines.count == 2)
        for line in signer.lines { try signer.sign(line, after: .milliseconds(610)) }
        #expect(signer.lines.count == 3)
        try signer.sign(signer.lines[2], after: .milliseconds(620))
        #expect(signer.answers[1] == .failure(.late(socket: "s")))
        #expect(try signer.answers[3]?.get() != nil)
        try signer.act(signer.exchange.disconnected("it closed the connection"))
        #expect(signer.count == 3, "each is answered once")
    }

    /// Has a signer with two places lose the first request.
    private func conversationWithLostRequest() throws -> Conversation {
        let signer = try Conversation(SignerExchange.Limits(inFlight: 2))
        try signer.begin()
        try signer.submit(1)
        try signer.receive("{\"id\": 99, \"error\": \"a\"}\n", after: .milliseconds(400))
        try signer.expire(after: .milliseconds(500))
        #expect(signer.answers == [1: .failure(.late(socket: "s"))])
        return signer
    }

    @Test("A signer that loses one request is not left for that, and the request does not keep its place for ever")
    func lost() throws {
        let signer = try conversationWithLostRequest()
        try signer.expire(after: .milliseconds(900))
        #expect(!signer.isClosed && signer.exchange.condition == .present)
        for number in 2...3 { try signer.submit(number, after: .seconds(2)) }
        #expect(signer.lines.count == 2, "one place is taken")
        for index in 1...2 { try signer.sign(signer.lines[index], after: .milliseconds(2_010)) }
        try signer.expire(after: .seconds(10))
        for number in 4...5 { try signer.submit(number, after: .seconds(11)) }
        #expect(signer.lines.count == 5, "both places are free")
        for index in 3...4 { try signer.sign(signer.lines[index], after: .milliseconds(11_010)) }
        #expect(signer.successes == 4 && signer.count == 5 && !signer.isClosed)
    }

    @Test("A signer that says nothing is connected to anew once a request has waited in vain, also for its turn")
    func silent() throws {
        let away = ExternalSignerError.away(socket: "s", reason: "it does not answer")
        let sent = try conversationWithLostRequest()
        try sent.submit(2, after: .seconds(2))
        try sent.expire(after: .milliseconds(2_499))
        #expect(!sent.isClosed)
        try sent.expire(after: .milliseconds(2_500))
        #expect(sent.isClosed && sent.answers[2] == .failure(away))
        let waiting = try conversationWithLostRequest()
        try waiting.submit(2, after: .milliseconds(510))
        try waiting.receive("{\"id\": 99, \"error\": \"a\"}\n", after: .milliseconds(600))
        try waiting.expire(after: .milliseconds(1_010))
        try waiting.submit(3, after: .milliseconds(1_020))
        #expect(waiting.lines.count == 2)
        try waiting.expire(after: .milliseconds(1_520))
        #expect(waiting.isClosed && waiting.answers[3] == .failure(away))
    }

    @Test("A signer that once took long over one of a few requests is given as much at once as before")
    func sparse() throws {
        let signer = try Conversation()
        try signer.begin()
        try signer.submit(1)
        for (number, time) in [(2, 200), (3, 400)] {
            try signer.submit(number, after: .milliseconds(time))
            try signer.sign(signer.lines[number - 1], after: .milliseconds(time + 10))
        }
        try signer.expire(after: .milliseconds(500))
        try signer.sign(signer.lines[0], after: .milliseconds(600))
        #expect(signer.answers[1] == .failure(.late(socket: "s")))
        for number in 4...103 { try signer.submit(number, after: .milliseconds(700)) }
        #expect(signer.lines.count == 103)
    }

    @Test(
        "A signer too slow for what is requested signs what it can, and the rest is refused; its backlog is bounded",
        arguments: [(20, 1), (2, 1), (100, 1), (200, 40)])
    func slow(_ milliseconds: Int, _ atOnce: Int) throws {
        let signer = try Conversation()
        try signer.begin()
        var (number, signed) = (0, 0)
        var successesBefore = 0
        var busy: [(line: (id: Int64, digest: [UInt8]), until: Int)] = []
        for time in 0..<20_000 {
            let now = Duration.milliseconds(time)
            if time == 10_000 { successesBefore = signer.successes }
            if time.isMultiple(of: 20) { try signer.expire(after: now) }
            let requested = atOnce * 3 * time / milliseconds
            while number < requested {
                number += 1
                try signer.submit(number, after: now)
            }
            while let first = busy.first, first.until <= time {
                busy.removeFirst()
                try signer.receive("{\"id\": \(first.line.id), \"signature\": \"AAAA\"}\n", after: now)
            }
            while busy.count < atOnce, signed < signer.lines.count {
                busy.append((signer.lines[signed], time + milliseconds))
                signed += 1
            }
            guard signer.lines.count - signed <= 128 else {
                Issue.record("the signer has \(signer.lines.count - signed) requests after \(now)")
                return
            }
        }
        #expect(!signer.isClosed && signer.exchange.condition == .present)
        // What it can sign in ten seconds.
        let possible = 10_000 / milliseconds * atOnce
        #expect(signer.successes - successesBefore > possible * 8 / 10, "of \(possible)")
        try signer.act(signer.exchange.disconnected("it closed the connection"))
        #expect(signer.count == number && signer.answers.count == number, "each is answered once")
    }

    @Test("What waits for its turn is late, too")
    func lateInLine() throws {
        let signer = try Conversation(SignerExchange.Limits(inFlight: 1))
        try signer.begin()
        try signer.submit(1, after: .milliseconds(0))
        try signer.submit(2, after: .milliseconds(10))
        try signer.sign((id: 99, digest: []), after: .milliseconds(490))
        try signer.expire(after: .milliseconds(511))
        #expect(signer.answers == [1: .failure(.late(socket: "s")), 2: .failure(.late(socket: "s"))])
    }

    @Test("A signer that answers nothing at all is away, and no request waits for it any more")
    func hung() throws {
        let signer = try Conversation(SignerExchange.Limits(inFlight: 2))
        try signer.begin()
        for number in 1...4 { try signer.submit(number, after: .milliseconds(10)) }
        try signer.expire(after: .milliseconds(510))
        let away = ExternalSignerError.away(socket: "s", reason: "it does not answer")
        #expect(signer.answers == (1...4).reduce(into: [:]) { $0[$1] = .failure(away) })
        #expect(signer.isClosed)
        #expect(signer.noted == [.present, .away(reason: "it does not answer")])
        try signer.submit(5, after: .milliseconds(511))
        #expect(signer.answers[5] == .failure(away))
    }

    static let garbage = [
        "\n", "x\n", "[]\n", "{}\n", "{\"id\": 2}\n", "{\"id\": \"2\", \"error\": \"a\"}\n",
        "{\"id\": 2, \"signature\": 1}\n", "{\"id\": 2, \"signature\": \"?\"}\n",
        "{\"id\": 2, \"signature\": \"\", \"error\": \"a\"}\n", "{\"id\": 2, \"id\": 3, \"error\": \"a\"}\n",
        "{\"id\": 2.0, \"error\": \"a\"}\n", String(repeating: " ", count: 4_097),
    ]

    @Test("Anything but an answer ends the connection, and what was requested is refused", arguments: garbage)
    func notAnAnswer(_ text: String) throws {
        let signer = try Conversation()
        try signer.begin()
        try signer.submit(1)
        try signer.receive(text)
        #expect(signer.isClosed)
        #expect(signer.answers[1] == .failure(.away(socket: "s", reason: "it does not speak the protocol")))
    }

    @Test("The connection ends: what was requested is refused, and after the next one all is as at first")
    func reconnecting() throws {
        let signer = try Conversation()
        try signer.begin()
        try signer.submit(1)
        try signer.act(signer.exchange.disconnected("it closed the connection"))
        try signer.act(signer.exchange.disconnected("it closed the connection"))
        #expect(signer.answers[1] == .failure(.away(socket: "s", reason: "it closed the connection")))
        #expect(signer.noted == [.present, .away(reason: "it closed the connection")], "said once")
        signer.exchange.connected(at: start)
        let sent = signer.lines.count
        try signer.act(signer.exchange.sample([signer.key], digest: Array(repeating: 0, count: 32), at: start))
        try signer.sign(signer.lines[sent])
        try signer.submit(2)
        try signer.sign(signer.lines[sent + 1])
        #expect(try signer.answers[2]?.get() != nil)
        #expect(signer.noted.last == .present)
    }

    @Test(
        "The signer's word for a refusal is shown if it is one",
        arguments: [
            ("no-such-key", "no-such-key"), ("", "no-reason"), ("<b>", "no-reason"), ("Locked", "no-reason"),
            (String(repeating: "a", count: 65), "no-reason"),
        ])
    func words(_ word: String, _ shown: String) throws {
        let signer = try Conversation()
        try signer.begin()
        try signer.submit(1)
        try signer.receive("{\"id\": \(signer.lines[0].id), \"error\": \"\(word)\"}\n")
        #expect(signer.answers[1] == .failure(.refused(key: "k", reason: shown)))
    }
}

private let start = ContinuousClock.now
