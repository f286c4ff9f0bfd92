/// An object inside OpenSSL, freed when its last owner goes.
// Proof for @unchecked Sendable: the pointer is set once and never changed, and what it points to is not changed either
// after the owner's initializer. OpenSSL allows any number of threads to use one EVP_PKEY at a time, as every operation
// makes its own context, if only by copying one that is ready, which EVP_PKEY_CTX_dup takes as a constant.
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
