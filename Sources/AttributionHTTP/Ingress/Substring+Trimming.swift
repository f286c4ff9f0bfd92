extension Substring {
    /// Without the spaces and tabs at its ends.
    var trimmingOptionalWhitespace: Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }
}
