import Attribution
import COpenSSL

/// A reference-counted OpenSSL object.
// @unchecked Sendable is safe because neither the pointer nor the object changes after the owner's initializer. OpenSSL
// allows any number of threads to use one EVP_PKEY at a time. Every operation has its own context, or copies one with
// EVP_PKEY_CTX_dup, which takes it as a constant.
final class OpenSSLObject: @unchecked Sendable {
    let pointer: OpaquePointer
    private let free: @Sendable (OpaquePointer?) -> Void

    /// Takes ownership of an object.
    init(owning pointer: OpaquePointer, free: @escaping @Sendable (OpaquePointer?) -> Void) {
        self.pointer = pointer
        self.free = free
    }

    deinit {
        free(pointer)
    }
}

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
}

/// An EVP_PKEY on one of the two curves that SKAdNetwork uses, public or private.
struct ECKeyObject: Sendable {
    let curve: SignatureCurve
    private let object: OpenSSLObject

    /// Takes ownership of the handle; nil if it is not a key on a known curve.
    init?(owning handle: OpaquePointer) {
        object = OpenSSLObject(owning: handle) { EVP_PKEY_free($0) }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        let isNamed = EVP_PKEY_get_group_name(handle, &name, name.count, &length) == 1
        let group = String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard isNamed, let curve = SignatureCurve.allCases.first(where: { $0.groupName == group }) else {
            return nil
        }
        self.curve = curve
    }

    /// The EVP_PKEY, valid as long as the object exists.
    var handle: OpaquePointer { object.pointer }

    /// The public half in DER (SPKI).
    func subjectPublicKeyInfo() throws -> [UInt8] {
        let length = i2d_PUBKEY(handle, nil)
        guard length > 0 else {
            throw OpenSSLError.last("i2d_PUBKEY")
        }
        var der = [UInt8](repeating: 0, count: Int(length))
        der.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            _ = i2d_PUBKEY(handle, &cursor)
        }
        return der
    }

    /// The key in PEM, written by an OpenSSL function.
    func pem(_ writer: (_ output: OpaquePointer, _ key: OpaquePointer) -> Int32) throws -> String {
        guard let output = BIO_new(BIO_s_mem()) else {
            throw OpenSSLError.last("BIO_new")
        }
        defer { BIO_free(output) }
        guard writer(output, handle) == 1 else {
            throw OpenSSLError.last("PEM_write_bio")
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = BIO_read(output, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }
}

extension SignatureCurve {
    /// OpenSSL's name of the curve.
    var groupName: String {
        switch self {
        case .p192: "prime192v1"
        case .p256: "prime256v1"
        }
    }
}
