/// A reference-counted OpenSSL object.
// @unchecked Sendable is safe because neither the pointer nor the object changes after the owner's initializer. OpenSSL
// allows any number of threads to use one EVP_PKEY at a time. Every operation has its own context, or copies one with
// EVP_PKEY_CTX_dup, which takes it as a constant. EVP_PKEY_get1_EC_KEY makes an EC_KEY once, under the lock of the
// EVP_PKEY, and gives it to all threads, which only read it.
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
