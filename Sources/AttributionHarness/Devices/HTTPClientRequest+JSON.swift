import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension HTTPClientRequest {
    /// Makes this a POST request with a JSON body.
    mutating func post(json: ByteBuffer) {
        method = .POST
        headers.add(name: "Content-Type", value: "application/json")
        body = .bytes(json)
    }
}
