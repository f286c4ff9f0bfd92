import COpenSSL
import CodedErrors

/// A failure inside OpenSSL that is not caused by input, such as running out of memory.
struct OpenSSLError: CodedError, CustomStringConvertible {
    /// The function that failed, and OpenSSL's reason; for the log.
    let description: String
    /// Whether a sum of points was the point at infinity.
    let isPointAtInfinity: Bool

    var code: ErrorCode { .signingFailed }
    var message: String { "OpenSSL failed: it is out of memory or damaged" }
    var hint: String? { "try again; skan selftest checks the machine" }

    /// OpenSSL's last error on this thread.
    static func last(_ function: String) -> OpenSSLError {
        var text = [CChar](repeating: 0, count: 256)
        let code = ERR_get_error()
        ERR_error_string_n(code, &text, text.count)
        ERR_clear_error()
        let reason = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return OpenSSLError(
            description: "\(function): \(String(decoding: reason, as: UTF8.self))",
            isPointAtInfinity: ERR_GET_LIB(code) == ERR_LIB_EC && ERR_GET_REASON(code) == EC_R_POINT_AT_INFINITY)
    }

    /// Throws OpenSSL's last error on this thread unless a function returned 1.
    static func check(_ status: Int32, _ function: StaticString = #function) throws {
        guard status == 1 else {
            throw last("\(function)")
        }
    }
}
