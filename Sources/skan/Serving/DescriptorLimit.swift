import Foundation

/// The process's limit of open file descriptors.
enum DescriptorLimit {
    /// More than the listeners and the store need, in case the hard limit is in the billions.
    private static let maximum: rlim_t = 1 << 20

    /// Raises the soft limit to the hard one.
    ///
    /// - Returns: The resulting soft limit.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1024
        }
        let wanted = min(limit.rlim_max, maximum)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        return Int(min(limit.rlim_cur, maximum))
    }
}
