/// A successful answer that was kept, with what was asked.
struct SampledAnswer {
    /// The request's place in the pool.
    let request: Int
    let body: [UInt8]
}
