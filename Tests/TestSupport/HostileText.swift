/// Texts that must not get out of the element or attribute they are shown in.
package enum HostileText {
    /// Breaks out of attributes and elements, where nothing is escaped.
    package static let markup = #""><script>alert(1)</script><img src=x onerror='alert(2)'>&lt;"#
    /// Changes the order in which what follows is read, and is not seen itself.
    package static let invisible = "a\u{2063}b\u{202E}c\u{2066}d\u{200B}e"
    /// Ends texts in careless programs.
    package static let control = "a\u{0}b\u{1B}[31mc\r\nd\u{85}e\u{7F}"
    /// A name of four kilobytes.
    package static let long = String(repeating: "name-", count: 820)
    /// An address that runs a script where addresses are not checked.
    package static let address = "javascript:alert(1)//?a=b&c=d#e"

    /// All of them.
    package static let all = [markup, invisible, control, long, address]
}
