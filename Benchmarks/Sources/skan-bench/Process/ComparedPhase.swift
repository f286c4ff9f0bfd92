/// A phase of load, and what OpenSSL did on the same core just before and after it.
struct ComparedPhase {
    let result: LoadResult
    let operationsPerSecond: Double
    let reference: Double

    var ratio: Double { operationsPerSecond / reference }
}
