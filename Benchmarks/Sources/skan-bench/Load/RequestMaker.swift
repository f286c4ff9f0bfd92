/// Makes the bodies of requests, one after the other.
protocol RequestMaker {
    mutating func nextBody() throws -> [UInt8]
}
