import Configuration

/// The environment variables that stand in for flags: `SKAN_STORE`, `SKAN_TOKENS`, `SKAN_SIGNING_KEYS` and so on.
struct EnvironmentSettings {
    private let reader: ConfigReader

    init() {
        reader = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "skan")
    }

    /// The value of a variable, named in lowercase without the prefix and with dots for underscores.
    ///
    /// An empty one is treated as unset, because compose files and systemd units may leave variables empty.
    func text(_ name: String) -> String? {
        reader.string(forKey: ConfigKey(name)).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The comma-separated values of a variable.
    func list(_ name: String) -> [String] {
        (text(name) ?? "").split(separator: ",").map { String($0) }
    }
}
