import AttributionStore

/// A file that pages load; its address changes with its content, so that it can be cached for good.
package struct PageAsset: Hashable, Sendable {
    /// The file's name.
    package let name: String
    /// Its media type.
    package let mediaType: String
    /// Its content.
    package let content: String

    private init(_ name: String, _ ending: String, _ mediaType: String, _ content: String) {
        var checksum = Checksum()
        checksum.add(content)
        self.name = name + "-" + String(checksum.value, radix: 16) + ending
        self.mediaType = mediaType
        self.content = content
    }

    /// The address.
    package var link: PageLink {
        PageLink("assets", name)
    }

    /// The style sheet.
    package static let style = PageAsset("page", ".css", "text/css; charset=utf-8", Stylesheet.text)
    /// The icon.
    package static let icon = PageAsset(
        "icon", ".svg", "image/svg+xml",
        HTML.image(
            HTML(.svg, .svgNamespace, .viewBox("0 0 32 32")) {
                HTML(.rect, .width(.pixels(32)), .height(.pixels(32)), .fill("#1f5fbf"))
                HTML(.rect, .x(.pixels(6)), .y(.pixels(18)), .width(.pixels(5)), .height(.pixels(8)), .fill("#ffffff"))
                HTML(
                    .rect, .x(.pixels(14)), .y(.pixels(12)), .width(.pixels(5)), .height(.pixels(14)), .fill("#ffffff"))
                HTML(.rect, .x(.pixels(22)), .y(.pixels(6)), .width(.pixels(5)), .height(.pixels(20)), .fill("#ffffff"))
            }))

    /// Every file.
    package static let all = [style, icon]
}
