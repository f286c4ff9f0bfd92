import AttributionConsole
import NIOCore
import Testing

@Suite("How far a connection of the console is")
struct ConsoleProgressTests {
    /// What happens on a connection.
    enum Event {
        case bytes, head, end, answer, last
    }

    static let rows: [(events: [Event], wait: ConsoleProgress.Wait?, rank: ConsoleProgress.Rank?, since: Int64)] = [
        ([], .head, .noRequestYet, 0),
        // The deadline of the first head begins with the connection, and that of a request with its first byte.
        ([.bytes], .head, .noRequestYet, 0),
        ([.bytes, .head], .request, .unfinishedBody, 0),
        ([.bytes, .head, .end], nil, nil, 3),
        ([.bytes, .head, .end, .answer], .idle, .noRequestNow, 4),
        ([.bytes, .head, .end, .answer, .bytes], .head, .noRequestNow, 5),
        ([.bytes, .head, .end, .answer, .bytes, .bytes], .head, .noRequestNow, 5),
        ([.bytes, .head, .end, .answer, .bytes, .head], .request, .unfinishedBody, 5),
        // An answer that does not wait for the body leaves its deadline as it was.
        ([.bytes, .head, .answer], .request, .noRequestNow, 0),
        ([.bytes, .head, .answer, .bytes, .end], .idle, .noRequestNow, 5),
        // While an earlier request is being answered, nothing is expected of the client.
        ([.bytes, .head, .end, .bytes], nil, nil, 4),
        ([.bytes, .head, .end, .head], nil, nil, 4),
        ([.bytes, .head, .end, .head, .answer], .request, .unfinishedBody, 5),
        ([.bytes, .head, .end, .bytes, .answer], .head, .noRequestNow, 5),
        ([.bytes, .head, .end, .head, .end, .answer], nil, nil, 6),
        // After the last answer only the end is waited for.
        ([.bytes, .head, .end, .last], .linger, .noRequestNow, 4),
    ]

    @Test("It knows what the server waits for, since when, and which connection gives way first", arguments: rows)
    func progress(
        _ row: (events: [Event], wait: ConsoleProgress.Wait?, rank: ConsoleProgress.Rank?, since: Int64)
    ) {
        func moment(_ second: Int64) -> NIODeadline { .uptimeNanoseconds(1) + .seconds(second) }
        var progress = ConsoleProgress(at: moment(0))
        for (index, event) in row.events.enumerated() {
            let now = moment(Int64(index + 1))
            switch event {
            case .bytes: progress.receive(at: now)
            case .head: progress.receiveHead(at: now)
            case .end: progress.receiveEnd(at: now)
            case .answer: progress.answer(at: now)
            case .last:
                progress.endInput()
                progress.close(at: now)
            }
        }
        #expect(progress.wait == row.wait)
        #expect(progress.rank == row.rank)
        #expect(row.wait == nil || progress.since == moment(row.since))
    }

    @Test("Those that never sent a request give way first, and unfinished uploads last")
    func order() {
        #expect(ConsoleProgress.Rank.noRequestYet < .noRequestNow)
        #expect(ConsoleProgress.Rank.noRequestNow < .unfinishedBody)
    }
}
