/// Aligned memory for the points of a table, one per 64-byte slot, so that a lookup touches one cache line.
///
/// Sendable because nothing writes after `init`: only `fill` gets the mutable pointer, and only the
/// last reference frees the memory.
final class TableMemory: Sendable {
    static let slotSize = 64

    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    /// Allocates `slotCount` slots and fills them.
    init(slotCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: slotCount * Self.slotSize, alignment: Self.slotSize)
        fill(bytes)
        self.bytes = UnsafeRawBufferPointer(bytes)
    }

    deinit { bytes.deallocate() }
}
