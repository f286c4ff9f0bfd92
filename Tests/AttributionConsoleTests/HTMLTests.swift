import AttributionConsole
import TestSupport
import Testing

@Suite("HTML")
struct HTMLTests {
    @Test(
        "Text is escaped in elements and attributes",
        arguments: [
            ("a<b>&\"'c", "a&lt;b&gt;&amp;&quot;&#39;c"),
            ("</p><script>", "&lt;/p&gt;&lt;script&gt;"),
            ("a\u{0}b\u{1B}c\u{7F}d", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d"),
            ("ein Zeichen: 🦆", "ein Zeichen: 🦆"), ("", ""),
        ])
    func escaping(_ text: String, _ escaped: String) {
        #expect(
            HTML.document(HTML(.p, .title(text)) { text })
                == "<!doctype html>\n<p title=\"\(escaped)\">\(escaped)</p>\n")
    }

    @Test("A value from outside spells out what is invisible, and has a direction of its own")
    func values() {
        #expect(
            HTML.document(.value("a\u{2063}b\u{202E}c"))
                == "<!doctype html>\n<bdi>a\\u{2063}b\\u{202e}c</bdi>\n")
        #expect(HTML.document(.value("")).contains("none"))
        #expect(HTML.document(.value(HostileText.long)).count < 200)
    }

    @Test("No hostile text becomes markup", arguments: HostileText.all)
    func hostile(_ text: String) throws {
        let piece = HTML(.div, .title(text), .ariaLabel(text)) {
            text
            HTML.value(text)
            HTML(.a, .href(PageLink("explore", query: [.init("where", "app=" + text)]))) { text }
            HTML(.input, .type("hidden"), .name("where"), .value(text))
            HTML(.a, .href(PageLink(text))) { "path" }
        }
        let markup = try Markup(HTML.document(piece))
        #expect(markup.elements.map(\.name) == ["div", "bdi", "a", "input", "a"])
    }

    @Test(
        "Numbers are written out with commas",
        arguments: [
            (0, "0"), (999, "999"), (1_000, "1,000"), (2_104_332, "2,104,332"), (-1_234, "-1,234"),
            (Int64.min, "-9,223,372,036,854,775,808"),
        ])
    func numbers(_ number: Int64, _ text: String) {
        #expect(number.grouped == text)
        #expect(HTML.document(.count(number)) == "<!doctype html>\n<data value=\"\(number)\">\(text)</data>\n")
    }

    @Test("A share has its value for programs")
    func shares() {
        #expect(HTML.document(.share(0.12345)).contains("<data value=\"0.1235\">12.3 %</data>"))
    }

    @Test("Links encode each part once, and keep what reads well")
    func links() {
        #expect(PageLink().text == "/")
        #expect(PageLink("reports", "re-engagements").text == "/reports/re-engagements")
        let link = PageLink("explore", query: [.init("where", "app=1"), .init("where", "network!=a b&c#d%")])
        #expect(link.text == "/explore?where=app=1&where=network!=a%20b%26c%23d%25")
        #expect(link.setting("where", "country=DE").text == "/explore?where=country=DE")
        #expect(PageLink("a/../b", "ü").text == "/a%2F..%2Fb/%C3%BC")
    }
}
