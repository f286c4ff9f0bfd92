extension String {
    /// The text without any address of a database that holds a password.
    ///
    /// ``AttributionServer/StoreLocation`` refuses such an address; this is for one that was typed where no store is
    /// expected, such as a word too many, and is quoted as typed.
    var withoutPasswords: String {
        guard contains("postgres") else {
            return self
        }
        // A shortened text may end before the @.
        return replacing(/postgres(?:ql)?:\/\/\S*(?::\S*[@…]|password=)\S*/, with: "postgresql://…")
    }
}
