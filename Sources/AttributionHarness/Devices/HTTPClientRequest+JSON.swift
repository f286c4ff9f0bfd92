import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension HTTPClientRequest {
    /// Makes it a POST of a JSON text, as devices and ad servers send theirs.
    mutating func post(json: ByteBuffer) {
        method = .POST
        headers.add(name: "Content-Type", value: "application/json")
        body = .bytes(json)
    }
}
