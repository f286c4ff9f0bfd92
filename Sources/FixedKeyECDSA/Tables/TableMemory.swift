/// Aligned memory for the points of a table, one in each slot of 64 bytes: a look-up then touches one cache line.
///
/// Sendable because no one writes after `init`: `fill` alone has the pointer that can be written through, and only the
/// last reference frees the memory.
final class TableMemory: Sendable {
    static let slotSize = 64

    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    /// Allocates `slotCount` slots and has them filled.
    init(slotCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: slotCount * Self.slotSize, alignment: Self.slotSize)
        fill(bytes)
        self.bytes = UnsafeRawBufferPointer(bytes)
    }

    deinit { bytes.deallocate() }
}
