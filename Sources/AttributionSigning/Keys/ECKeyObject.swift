import Attribution
import COpenSSL
import Foundation

/// An EVP_PKEY on one of the two curves that SKAdNetwork uses, shared by ``ECPublicKey`` and ``ECPrivateKey``.
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

    /// Reads a key in PEM; nil if the reader finds none.
    ///
    /// - Parameters:
    ///   - pem: The text.
    ///   - reader: Reads a key from a BIO.
    init?(pem: String, _ reader: (OpaquePointer) -> OpaquePointer?) {
        defer { ERR_clear_error() }
        let handle = Array(pem.utf8).withUnsafeBytes { bytes -> OpaquePointer? in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return nil
            }
            defer { BIO_free(input) }
            return reader(input)
        }
        guard let handle else {
            return nil
        }
        self.init(owning: handle)
    }

    /// The EVP_PKEY, valid as long as the object exists.
    var handle: OpaquePointer {
        object.pointer
    }

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

    /// Whether two keys have the same public half.
    func hasSamePublicHalf(as other: ECKeyObject) -> Bool {
        EVP_PKEY_eq(handle, other.handle) == 1
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
