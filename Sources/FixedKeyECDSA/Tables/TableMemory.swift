#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Aligned memory for the points of a table, one per 64-byte slot, so that a lookup touches one cache line.
///
/// Lookups hit pages at random, and finding a small page that the processor does not remember takes longer than adding
/// the point, so large tables ask for large pages.
///
/// Sendable because nothing writes after `init`: only `fill` gets the mutable pointer, and only the
/// last reference frees the memory.
final class TableMemory: Sendable {
    static let slotSize = 64
    private static let largePage = 2 << 20

    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    /// Allocates `slotCount` slots and fills them.
    init(slotCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let byteCount = slotCount * Self.slotSize
        let isLarge = byteCount >= Self.largePage
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: byteCount, alignment: isLarge ? Self.largePage : Self.slotSize)
        #if os(Linux)
            // Without large pages everything still works.
            if isLarge { madvise(bytes.baseAddress, byteCount, MADV_HUGEPAGE) }
        #endif
        fill(bytes)
        self.bytes = UnsafeRawBufferPointer(bytes)
    }

    deinit { bytes.deallocate() }
}
