import Foundation

/// Unique requests as bytes, ready to be sent; made on all cores, outside of what is measured.
///
/// Each store that is measured may be sent the same ones.
final class RequestPool {
    /// Requests behind one another, and where the body of each begins and ends.
    private struct Shard: Sendable {
        var bytes: [UInt8] = []
        var bodies: [Int] = []
        var ends: [Int] = []

        mutating func append(_ body: [UInt8], _ path: String) {
            bytes +=
                """
                POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
                Content-Length: \(body.count)\r\n\r\n
                """.utf8
            bodies.append(bytes.count)
            bytes += body
            ends.append(bytes.count)
        }
    }

    /// How many requests one maker makes.
    static let shardSize = 2_500

    private let path: String
    private let makeMaker: @Sendable () throws -> any RequestMaker
    private var shards: [Shard] = []

    /// Makes an empty pool of requests to a path, whose bodies come from makers; each core uses makers of its own.
    init(path: String, makeMaker: @escaping @Sendable () throws -> any RequestMaker) {
        self.path = path
        self.makeMaker = makeMaker
    }

    var count: Int {
        shards.count * Self.shardSize
    }

    /// Makes more until there are at least `count`.
    func fill(to count: Int) throws {
        let missing = (count - self.count + Self.shardSize - 1) / Self.shardSize
        guard missing > 0 else {
            return
        }
        shards += try parallel(missing) { [path, makeMaker] in
            var maker = try makeMaker()
            var shard = Shard()
            for _ in 0..<Self.shardSize {
                shard.append(try maker.nextBody(), path)
            }
            return shard
        }
    }

    /// The requests made so far with other bodies, in the same order; none is added to them.
    func changed(_ change: ([UInt8]) -> [UInt8]) -> RequestPool {
        let pool = RequestPool(path: path) { throw BenchmarkFailure("a pool of changed requests was used up") }
        pool.shards = shards.map { shard in
            var changed = Shard()
            for (start, end) in zip(shard.bodies, shard.ends) {
                changed.append(change(Array(shard.bytes[start..<end])), path)
            }
            return changed
        }
        return pool
    }

    /// Writes the first `count` bodies into a file, one a line.
    func writeBodies(_ count: Int, to file: String) throws {
        try fill(to: count)
        guard FileManager.default.createFile(atPath: file, contents: nil),
            let handle = FileHandle(forWritingAtPath: file)
        else {
            throw BenchmarkFailure("cannot write \(file)")
        }
        var rest = count
        for shard in shards where rest > 0 {
            var lines = Data()
            for (start, end) in zip(shard.bodies, shard.ends).prefix(rest) {
                lines += shard.bytes[start..<end]
                lines.append(0x0a)
            }
            try handle.write(contentsOf: lines)
            rest -= min(rest, shard.ends.count)
        }
        try handle.close()
    }

    /// The body of a request.
    func body(_ index: Int) -> [UInt8] {
        let (shard, place) = index.quotientAndRemainder(dividingBy: Self.shardSize)
        return Array(shards[shard].bytes[shards[shard].bodies[place]..<shards[shard].ends[place]])
    }

    func withRequest<Value>(_ index: Int, _ use: (UnsafeRawBufferPointer) -> Value) -> Value {
        let (shard, place) = index.quotientAndRemainder(dividingBy: Self.shardSize)
        let start = place == 0 ? 0 : shards[shard].ends[place - 1]
        let end = shards[shard].ends[place]
        return shards[shard].bytes.withUnsafeBytes { use(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }
}
