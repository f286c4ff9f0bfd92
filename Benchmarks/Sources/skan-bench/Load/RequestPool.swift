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
    }

    private static let shardSize = 2_500

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
                let body = try maker.nextBody()
                shard.bytes +=
                    """
                    POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
                    Content-Length: \(body.count)\r\n\r\n
                    """.utf8
                shard.bodies.append(shard.bytes.count)
                shard.bytes += body
                shard.ends.append(shard.bytes.count)
            }
            return shard
        }
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
