import CFileSystem

/// File systems whose locks do not reliably exclude other machines; a store must not be on them.
package enum FileSystemKind: String, CaseIterable, Sendable {
    case nfs = "NFS"
    case smb = "SMB"
    case ceph = "Ceph"
    case afs = "AFS"
    case plan9 = "9p"

    /// Identifies a file system by its magic number; nil for all others, such as overlay and tmpfs, which are allowed.
    ///
    /// - Parameter magic: `f_type` of `statfs`.
    /// - SeeAlso: `man 2 statfs`
    package init?(magic: UInt32) {
        switch magic {
        case 0x6969: self = .nfs
        case 0x517B, 0xFF53_4D42, 0xFE53_4D42: self = .smb
        case 0x00C3_6400: self = .ceph
        case 0x5346_414F, 0x6B41_4653: self = .afs
        case 0x0102_1997: self = .plan9
        default: return nil
        }
    }

    /// The kind of the file system an open file is on.
    init?(descriptor: CInt) {
        var status = statfs()
        guard fstatfs(descriptor, &status) == 0 else {
            return nil
        }
        self.init(magic: UInt32(truncatingIfNeeded: status.f_type))
    }
}
