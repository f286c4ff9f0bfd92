import Foundation

/// How many descriptors the process may have open.
enum DescriptorLimit {
    /// More than all listeners and the store need, so that a hard limit of billions changes nothing.
    private static let most: rlim_t = 1 << 20

    /// Raises the soft limit to the hard one.
    ///
    /// - Returns: The soft limit as it is afterwards.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1024
        }
        let wanted = min(limit.rlim_max, most)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        return Int(min(limit.rlim_cur, most))
    }
}
