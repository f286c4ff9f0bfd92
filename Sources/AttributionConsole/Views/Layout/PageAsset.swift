import AttributionStore

/// A file that pages load; its address changes with its content, so that it can be cached for good.
package struct PageAsset: Hashable, Sendable {
    package let name: String
    package let mediaType: String
    package let content: String

    private init(_ name: String, _ ending: String, _ mediaType: String, _ content: String) {
        var checksum = Checksum()
        checksum.add(content)
        self.name = name + "-" + String(checksum.value, radix: 16) + ending
        self.mediaType = mediaType
        self.content = content
    }

    package var link: PageLink {
        PageLink("assets", name)
    }

    package static let style = PageAsset("page", ".css", "text/css; charset=utf-8", Stylesheet.text)
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

    package static let all = [style, icon]
}

/// The style of every page: both colour schemes, from a phone to a wide screen.
///
/// Text has a contrast of at least 4.5 to 1 to what is behind it, and marks of charts at least 3 to 1 (WCAG 2.2, AA).
enum Stylesheet {
    static let text = colours + elements + parts + wide

    private static let colours = """
        :root {
          color-scheme: light dark;
          --back: #f3f4f6; --card: #ffffff; --text: #1b1f24; --quiet: #525a65; --line: #cfd4da; --link: #0a4fb3;
          --mark: #1f5fbf; --former: #8a4b00; --part: #dbe7f8; --hover: #eef3fb; --focus: #a03c00;
          --good: #e2f3e7; --good-text: #11502a; --uncertain: #fdf1cf; --uncertain-text: #5a4200;
          --bad: #fbe3e1; --bad-text: #861610;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #13161a; --card: #1b1f25; --text: #e7eaee; --quiet: #a8b0bb; --line: #3b424c; --link: #8fbcff;
            --mark: #6ea4f5; --former: #f0b35a; --part: #24364f; --hover: #222831; --focus: #ffb25c;
            --good: #17352a; --good-text: #a9e6c2; --uncertain: #3b3013; --uncertain-text: #ffe09a;
            --bad: #45201d; --bad-text: #ffb8b1;
          }
        }

        """

    private static let elements = """
        * { box-sizing: border-box; }
        html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
        body { margin: 0; background: var(--back); color: var(--text); }
        a { color: var(--link); }
        :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
        main:focus { outline: none; }
        h1 { font-size: 1.625rem; line-height: 1.25; margin: 1.25rem 0 .75rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.125rem; line-height: 1.3; margin: 0 0 .25rem; overflow-wrap: anywhere; }
        h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
        time { white-space: nowrap; }
        p { margin: .5rem 0; overflow-wrap: anywhere; }
        code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .875rem; }
        pre { overflow-x: auto; background: var(--back); border: 1px solid var(--line); padding: .75rem; margin: 0; }
        pre.text { white-space: pre-wrap; overflow-wrap: anywhere; }
        main { padding: 0 1rem 2rem; max-width: 90rem; margin: 0 auto; }
        footer { padding: 1rem; color: var(--quiet); border-top: 1px solid var(--line); }
        dl { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .25rem 1rem; margin: 0; }
        dt { color: var(--quiet); }
        dd { margin: 0; overflow-wrap: anywhere; }
        summary { cursor: pointer; padding: .25rem 0; min-height: 1.75rem; }
        main summary { color: var(--link); font-size: .875rem; }
        summary:hover, .choices a:hover { text-decoration: underline; }
        button { font: inherit; color: #ffffff; background: #1f5fbf; border: 1px solid #1f5fbf; border-radius: .25rem;
          padding: .35rem .9rem; min-height: 2.25rem; cursor: pointer; }
        input, select { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--quiet);
          border-radius: .25rem; padding: .3rem .5rem; min-height: 2.25rem; max-width: 100%; }
        label { display: block; color: var(--quiet); font-size: .875rem; }
        ::placeholder { color: var(--quiet); opacity: 1; font-style: italic; }

        """

    private static let parts = """
        .skip { position: absolute; left: -100rem; }
        .skip:focus { position: static; display: inline-block; padding: .5rem 1rem; background: var(--card); }
        header { background: var(--card); border-bottom: 1px solid var(--line); padding: .25rem 1rem; display: flex;
          flex-wrap: wrap; align-items: center; gap: 0 1.5rem; }
        header nav { flex: 1; }
        .brand { font-weight: 700; font-size: 1.125rem; margin: 0; }
        nav ul, .choices, .conditions { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; }
        nav ul { gap: 0 1rem; }
        nav a, nav summary { display: inline-block; padding: .35rem 0; min-height: 2rem; color: var(--link);
          text-decoration: none; }
        nav summary::after { content: " ▾"; content: " ▾" / ""; }
        nav [open] > summary::after { content: " ▴"; content: " ▴" / ""; }
        nav a:hover, nav summary:hover { text-decoration: underline; }
        nav a[aria-current], nav summary.here { color: var(--text); font-weight: 600;
          box-shadow: inset 0 -3px var(--mark); }
        /* Open, it moves the rest: lying over the page it would hide what has the focus. */
        nav details[open] { display: flex; flex-wrap: wrap; gap: 0 1rem; }
        nav details ul { background: var(--hover); border-radius: .25rem; padding: 0 .75rem; }
        .logout { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .25rem 0; }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem;
          margin: 0 0 1rem; min-width: 0; }
        .card > :last-child { margin-bottom: 0; }
        h2 + .notice { margin-top: .5rem; }
        .meaning, .more, .file, .empty { font-size: .875rem; }
        .meaning { color: var(--quiet); margin: 0 0 .75rem; }
        .picker { margin: 0 0 1rem; }
        .picker .days { color: var(--quiet); margin: 0 0 .5rem; }
        .choices { gap: .5rem; }
        .choices a { display: inline-block; padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 1rem;
          background: var(--card); text-decoration: none; min-height: 2rem; }
        .choices a[aria-current] { background: var(--part); color: var(--text); border-color: var(--mark); }
        .conditions { gap: .5rem; margin-top: .5rem; }
        .conditions li { border: 1px solid var(--mark); border-radius: .25rem; padding: .1rem .6rem;
          overflow-wrap: anywhere; background: var(--card); }
        .conditions a { display: inline-block; padding: .15rem .25rem; min-height: 1.5rem; }
        form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
        .field { margin: 0; max-width: 100%; }
        .field.wide, .field.wide input { width: 40rem; }
        .notice { padding: .5rem .75rem; border-radius: .25rem; border-left: .4rem solid; margin: 0 0 1rem; }
        .good { background: var(--good); color: var(--good-text); }
        .uncertain { background: var(--uncertain); color: var(--uncertain-text); }
        .bad { background: var(--bad); color: var(--bad-text); }
        .notice a { color: inherit; }
        .none, .empty, .more { color: var(--quiet); }
        .mark { display: inline-block; margin-left: .35rem; padding: 0 .3rem; font-size: .75rem; font-weight: 400;
          background: var(--uncertain); color: var(--uncertain-text); border-radius: .2rem; white-space: nowrap; }
        .figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr)); gap: 1rem .75rem; }
        .figures div { min-width: 0; overflow-wrap: anywhere; }
        .figures dt { font-size: .875rem; }
        .figures dd { font-size: 1.5rem; font-variant-numeric: tabular-nums; line-height: 1.25; }
        dd time { white-space: normal; }
        .change { display: block; font-size: .8125rem; font-weight: 400; line-height: 1.3; color: var(--quiet); }
        /* Shadows at the edges beyond which there is more. */
        .scroll { overflow-x: auto; background:
          linear-gradient(to right, var(--card) 30%, transparent) left / 2rem 100% no-repeat local,
          linear-gradient(to left, var(--card) 30%, transparent) right / 2rem 100% no-repeat local,
          linear-gradient(to right, var(--line), transparent) left / .6rem 100% no-repeat scroll,
          linear-gradient(to left, var(--line), transparent) right / .6rem 100% no-repeat scroll; }
        table { border-collapse: collapse; min-width: min(100%, 48rem); font-variant-numeric: tabular-nums; }
        caption { text-align: left; font-weight: 600; padding: 0 0 .35rem; }
        caption span { display: inline-block; position: sticky; left: 0; max-width: calc(100vw - 4rem); }
        thead th:not(:has(a))::first-letter, tfoot th::first-letter { text-transform: uppercase; }
        form + .table, dl + .table { margin-top: 1rem; }
        th, td { text-align: left; vertical-align: top; padding: .35rem 1rem .35rem 0;
          border-bottom: 1px solid var(--line); }
        th:last-child, td:last-child { padding-right: .25rem; }
        thead th { color: var(--quiet); font-size: .875rem; font-weight: 600; line-height: 1.3; vertical-align: bottom; }
        tbody th { font-weight: 400; min-width: 6rem; }
        /* Ids are not broken, and names and sentences of any length are. */
        td bdi, th bdi, .words { display: inline-block; width: max-content; max-width: 14rem; white-space: normal;
          overflow-wrap: anywhere; text-decoration: inherit; }
        tbody tr:hover { background: var(--hover); }
        tfoot th, tfoot td { font-weight: 600; border-top: 2px solid var(--line); border-bottom: 0; }
        .number { text-align: right; }
        tbody th, tbody td, tfoot td, .number .change { white-space: nowrap; }
        th a, td a { display: inline-block; padding: .25rem 0; margin: -.25rem 0; }
        /* The whole row follows its only link. */
        tbody tr:has(> th a):not(:has(> td a)) { position: relative; }
        tbody tr:has(> th a):not(:has(> td a)) > th a::after { content: ""; position: absolute; inset: 0; }
        /* The title of the part says it already. */
        h2 ~ .table caption, h2 ~ .table .empty span, h2 ~ .chart caption, h2 ~ .chart figcaption {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .part { display: block; width: 100%; height: .35rem; margin-top: .15rem; }
        .part rect { fill: var(--mark); }
        .file { margin: .35rem 0 0; font-size: .875rem; }
        .chart { margin: 0; }
        .chart figcaption { font-weight: 600; }
        .chart .unit, .chart .key { font-size: .875rem; color: var(--quiet); margin: 0; }
        .key { display: flex; gap: 1rem; }
        .key span::before { content: ""; display: inline-block; width: 1rem; margin-right: .35rem; }
        .key .now::before { height: .7rem; background: var(--mark); }
        .key .former::before { height: 3px; background: var(--former); vertical-align: middle; }
        svg { display: block; }
        .plot.roomy { width: calc(100% - 116px); margin-left: 112px; }
        .plot { overflow: visible; width: calc(100% - 76px); margin: .75rem 4px 32px 72px; }
        .slot { fill: transparent; }
        g:hover > .slot { fill: var(--part); }
        .grid { stroke: var(--line); stroke-width: 1; }
        .column { fill: var(--mark); }
        .former { stroke: var(--former); stroke-width: 3; }
        .halo { stroke: var(--card); stroke-width: 7; }
        .tick, .label { fill: var(--quiet); font-size: 12px; }
        .tick { dominant-baseline: middle; }

        """

    private static let wide = """
        @media (max-width: 30rem) {
          main { padding: 0 .75rem 1.5rem; }
          .card { padding: .75rem; }
          .brand, .label.optional { display: none; }
          .field, .field input, .field select { width: 100%; }
          table { font-size: .875rem; }
        }
        @media (min-width: 40rem) {
          .figures { grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); }
          td bdi, th bdi, .words { max-width: 26rem; }
        }
        @media (min-width: 64rem) {
          .columns { display: flex; flex-wrap: wrap; gap: 0 1rem; }
          .columns > * { flex: 1 1 30rem; }
          .columns > .all { flex-basis: 100%; }
        }
        @media (forced-colors: active) {
          .column, .part rect { fill: CanvasText; }
          .former { stroke: Highlight; }
        }
        @media print {
          header, .picker, .file, .skip { display: none; }
        }

        """
}
