import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension HTTPClient {
    /// Why nothing was answered, for a person.
    package static func reason(_ error: any Error) -> String {
        switch error {
        case Failure.handshakeFailed:
            return "this machine does not trust its certificate, or they have no version of TLS in common"
        case Failure.wrongName:
            return "its certificate is for another name"
        case Failure.tooSlow:
            return "it was too slow to answer"
        case Failure.invalidURL:
            return "it is not an HTTP URL"
        case Failure.tooLong:
            return "its answer is too long"
        case Failure.noAddress:
            return "the name has no address"
        case Failure.proxyRefused(let status):
            return status == 0
                ? "the proxy's answer is not valid HTTP" : "the proxy does not connect to it: status \(status)"
        case ChannelError.connectTimeout:
            return "it was too slow to connect to"
        case Failure.closed, HTTPParserError.invalidEOFState:
            return "it closed the connection before its answer was whole"
        case is HTTPParserError:
            return "its answer is not valid HTTP"
        default:
            break
        }
        if let failure = error as? IOError {
            return String(cString: strerror(failure.errnoCode))
        }
        guard let failure = error as? NIOConnectionError else {
            return "the connection failed"
        }
        guard !failure.connectionErrors.isEmpty else {
            return "the name has no address"
        }
        return reason(ofEach: failure.connectionErrors.map(\.error))
    }

    /// Why none of several addresses could be connected to: that one refused, which proves that the server was reached,
    /// or else the first reason.
    package static func reason(ofEach errors: [any Error]) -> String {
        let codes = errors.compactMap { ($0 as? IOError)?.errnoCode }
        guard let code = codes.first(where: { $0 == ECONNREFUSED }) ?? codes.first else {
            return errors.first.map(reason) ?? "the connection failed"
        }
        return String(cString: strerror(code))
    }
}
