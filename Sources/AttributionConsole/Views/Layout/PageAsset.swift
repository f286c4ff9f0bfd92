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
          --back: #f5f6f8; --card: #ffffff; --text: #18202a; --quiet: #56616f; --line: #e2e6eb; --link: #1450a8;
          --mark: #2b67c4; --former: #7488a3; --before: #dde5f0; --part: #e3ecf9; --hover: #f3f6fb; --focus: #a03c00;
          --edge: #c3cad3; --good: #e2f3e7; --good-text: #11502a; --uncertain: #fdf3d8; --uncertain-text: #5a4200;
          --bad: #fbe3e1; --bad-text: #861610; --dot-good: #1f8a4c; --dot-uncertain: #b07400; --dot-bad: #c22f25;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #101418; --card: #181d23; --text: #e6eaef; --quiet: #a3adb9; --line: #2b323b; --link: #93bdfb;
            --mark: #6ba0ee; --former: #77879c; --before: #2c3645; --part: #22324a; --hover: #1e242c; --focus: #ffb25c;
            --edge: #434c58; --good: #17352a; --good-text: #a9e6c2; --uncertain: #332a12; --uncertain-text: #f5d68c;
            --bad: #45201d; --bad-text: #ffb8b1; --dot-good: #46b877; --dot-uncertain: #dca441; --dot-bad: #f0746a;
          }
        }

        """

    private static let elements = """
        * { box-sizing: border-box; }
        html { font: 93.75%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
        body { margin: 0; background: var(--back); color: var(--text); }
        a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; }
        :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
        main:focus { outline: none; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; letter-spacing: -.01em; }
        h2 { font-size: 1.0625rem; line-height: 1.3; margin: 0 0 .25rem; overflow-wrap: anywhere; }
        h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
        time { white-space: nowrap; }
        p { margin: .5rem 0; overflow-wrap: anywhere; }
        code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .875rem; }
        pre { overflow-x: auto; background: var(--back); border: 1px solid var(--line); padding: .75rem; margin: 0; }
        pre.text { white-space: pre-wrap; overflow-wrap: anywhere; }
        main { padding: 1rem 1.25rem 2rem; max-width: 96rem; margin: 0 auto; }
        footer { padding: 1rem 1.25rem; color: var(--quiet); border-top: 1px solid var(--line); font-size: .875rem; }
        dl { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .25rem 1rem; margin: 0; }
        dt { color: var(--quiet); }
        dd { margin: 0; overflow-wrap: anywhere; }
        summary { cursor: pointer; padding: .25rem 0; min-height: 1.75rem; }
        main summary { color: var(--quiet); font-size: .875rem; }
        main summary:hover { color: var(--text); }
        button { font: inherit; color: #ffffff; background: #2159b3; border: 1px solid #2159b3; border-radius: .375rem;
          padding: .35rem .9rem; min-height: 2.25rem; cursor: pointer; }
        input, select { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--former);
          border-radius: .375rem; padding: .3rem .5rem; min-height: 2.25rem; max-width: 100%; }
        label { display: block; color: var(--quiet); font-size: .875rem; }
        ::placeholder { color: var(--quiet); opacity: 1; font-style: italic; }

        """

    private static let parts = """
        .skip { position: absolute; left: -100rem; }
        .skip:focus { position: static; display: inline-block; padding: .5rem 1rem; background: var(--card); }
        header { background: var(--card); border-bottom: 1px solid var(--line); padding: 0 1.25rem; display: flex;
          flex-wrap: wrap; align-items: center; gap: 0 1.75rem; }
        header nav { flex: 1; }
        .brand { font-weight: 700; font-size: 1.125rem; margin: 0; letter-spacing: -.02em; }
        nav ul, .choices, .conditions, .steps { list-style: none; margin: 0; padding: 0; display: flex;
          flex-wrap: wrap; }
        nav ul { gap: 0 1.25rem; }
        nav li { position: relative; }
        nav a, nav summary { display: inline-block; padding: .6rem 0; min-height: 2rem; color: var(--quiet);
          text-decoration: none; }
        nav a:hover, nav summary:hover { color: var(--text); }
        nav summary { list-style: none; }
        nav summary::-webkit-details-marker { display: none; }
        nav summary::after { content: " ▾"; content: " ▾" / ""; }
        nav a[aria-current], nav summary.here { color: var(--text); font-weight: 600;
          box-shadow: inset 0 -2px var(--mark); }
        /* It lies over the page, and goes as soon as the focus does, which it would hide otherwise. */
        nav details > ul { position: absolute; z-index: 1; min-width: 12rem; display: block; padding: .35rem 0;
          background: var(--card); border: 1px solid var(--edge); border-radius: .5rem;
          box-shadow: 0 .5rem 1.5rem rgb(0 0 0 / 15%); }
        nav details:not(:focus-within):not(:hover) > ul { display: none; }
        nav details a { display: block; padding: .3rem 1rem; }
        nav details a[aria-current] { box-shadow: inset 3px 0 var(--mark); }
        nav details a:hover { background: var(--hover); }
        .logout { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .25rem 0; }
        .title { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; margin: 0 0 .75rem; }
        .title h1 { flex: 1 1 auto; }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: .625rem; padding: 1rem 1.25rem;
          margin: 0 0 1rem; min-width: 0; }
        .card > :last-child { margin-bottom: 0; }
        h2 + .notice { margin-top: .5rem; }
        .meaning, .more, .file, .empty { font-size: .875rem; }
        .meaning { color: var(--quiet); margin: 0 0 .75rem; }
        .picker { display: flex; flex-wrap: wrap; gap: .35rem .75rem; align-items: center; }
        .picker details[open] { flex-basis: 100%; }
        .title + .notice, .title + .more { margin-top: 0; }
        .steps { gap: .35rem; align-items: center; font-size: .875rem; }
        .steps a { display: inline-block; min-width: 1.9rem; min-height: 1.9rem; padding: .2rem 0;
          text-align: center; border: 1px solid var(--line); border-radius: .375rem; background: var(--card);
          text-decoration: none; color: var(--text); }
        .steps .days { padding: 0 .25rem; font-variant-numeric: tabular-nums; }
        .choices { border: 1px solid var(--line); border-radius: .375rem; background: var(--card); font-size: .875rem; }
        .choices a { display: inline-block; padding: .2rem .65rem; min-height: 1.9rem; text-decoration: none;
          color: var(--quiet); border-radius: .3rem; }
        .choices a:hover, .steps a:hover { color: var(--text); background: var(--hover); }
        .choices a[aria-current] { background: var(--part); color: var(--text); font-weight: 600; }
        .conditions { gap: .5rem; margin: 0 0 .75rem; }
        .conditions li { border: 1px solid var(--edge); border-radius: .375rem; padding: .05rem .6rem;
          overflow-wrap: anywhere; background: var(--card); font-size: .875rem; }
        .conditions a { display: inline-block; padding: .15rem .25rem; min-height: 1.65rem; }
        form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
        .field { margin: 0; max-width: 100%; }
        .field.wide, .field.wide input { width: 40rem; }
        .notice { padding: .4rem .9rem; border-radius: .5rem; margin: 0 0 .75rem; font-size: .9375rem; }
        .good { background: var(--good); color: var(--good-text); }
        .uncertain { background: var(--uncertain); color: var(--uncertain-text); }
        .bad { background: var(--bad); color: var(--bad-text); }
        .notice a { color: inherit; }
        .none, .empty, .more { color: var(--quiet); }
        .mark { display: inline-block; margin-left: .35rem; font-size: .75rem; font-weight: 400; font-style: italic;
          color: var(--quiet); white-space: nowrap; }
        .figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr)); gap: 1rem .75rem; }
        .figures div { min-width: 0; overflow-wrap: anywhere; }
        .figures dt, .headline dt { font-size: .875rem; }
        .figures dd { font-size: 1.375rem; font-variant-numeric: tabular-nums; line-height: 1.25; }
        .headline { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: 1rem 0; }
        .headline div { min-width: 0; padding: 0 1.25rem; border-left: 1px solid var(--line); }
        .headline div:first-child { padding-left: 0; border-left: 0; }
        .headline dd { font-size: 1.125rem; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 1.35; }
        .headline dd:only-of-type { font-size: 1.625rem; line-height: 1.2; letter-spacing: -.01em; }
        .headline + h2 { margin-top: 1rem; padding-top: .75rem; border-top: 1px solid var(--line); }
        .currency { font-size: .8125rem; font-weight: 400; color: var(--quiet); letter-spacing: 0; }
        dd time { white-space: normal; }
        .change { display: block; font-size: .8125rem; font-weight: 400; line-height: 1.3; color: var(--quiet);
          letter-spacing: 0; }
        .operations { padding: .15rem 1.25rem; }
        .operations > summary { color: var(--text); }
        .operations > summary { padding: .35rem 0; }
        .operations[open] > summary { margin-bottom: .5rem; }
        .operations[open] > :last-child { margin-bottom: .75rem; }
        .dot { display: inline-block; width: .6rem; height: .6rem; border-radius: 50%; margin: 0 .4rem 0 .2rem; }
        .dot.good { background: var(--dot-good); }
        .dot.uncertain { background: var(--dot-uncertain); }
        .dot.bad { background: var(--dot-bad); }
        /* Shadows at the edges beyond which there is more. */
        .scroll { overflow-x: auto; background:
          linear-gradient(to right, var(--card) 30%, transparent) left / 2rem 100% no-repeat local,
          linear-gradient(to left, var(--card) 30%, transparent) right / 2rem 100% no-repeat local,
          linear-gradient(to right, var(--edge), transparent) left / .4rem 100% no-repeat scroll,
          linear-gradient(to left, var(--edge), transparent) right / .4rem 100% no-repeat scroll; }
        table { border-collapse: collapse; min-width: min(100%, 48rem); font-variant-numeric: tabular-nums;
          font-size: .9375rem; }
        .all table { min-width: 100%; }
        caption { text-align: left; font-weight: 600; padding: 0 0 .35rem; }
        caption span { display: inline-block; position: sticky; left: 0; max-width: calc(100vw - 4rem); }
        thead th:not(:has(a))::first-letter, tfoot th::first-letter { text-transform: uppercase; }
        form + .table, dl + .table { margin-top: 1rem; }
        th, td { text-align: left; vertical-align: top; padding: .4rem .9rem .4rem 0;
          border-bottom: 1px solid var(--line); }
        th:last-child, td:last-child { padding-right: .25rem; }
        thead th { color: var(--quiet); font-size: .8125rem; font-weight: 500; line-height: 1.3;
          vertical-align: bottom; }
        thead th a { color: inherit; text-decoration: none; }
        thead th a:hover { text-decoration: underline; }
        thead th[aria-sort] { color: var(--text); font-weight: 700; }
        thead .mark { display: block; margin: 0; }
        tbody th { font-weight: 400; min-width: 6rem; }
        /* Ids are not broken, and names and sentences of any length are. */
        td bdi, th bdi, .words { display: inline-block; width: max-content; max-width: 14rem; white-space: normal;
          overflow-wrap: anywhere; text-decoration: inherit; vertical-align: top; }
        .campaign { width: 18rem; }
        .campaign a { font-weight: 600; }
        .ids { display: block; font-size: .8125rem; color: var(--quiet); line-height: 1.35; max-width: 24rem;
          white-space: normal; overflow-wrap: anywhere; }
        .ids bdi { display: inline; }
        tbody tr:hover { background: var(--hover); }
        tbody tr:last-child > * { border-bottom: 0; }
        tfoot th, tfoot td { font-weight: 600; border-top: 1px solid var(--edge); border-bottom: 0; }
        .number { text-align: right; }
        tbody th, tbody td, tfoot td, .number .change { white-space: nowrap; }
        th a, td a { display: inline-block; padding: .3rem 0; margin: -.3rem 0; }
        /* The whole row follows its only link. */
        tbody tr:has(> th a):not(:has(> td a)) { position: relative; }
        tbody tr:has(> th a):not(:has(> td a)) > th a::after { content: ""; position: absolute; inset: 0; }
        /* The title of the part says it already. */
        h2 ~ .table caption, h2 ~ .table .empty span, h2 ~ .chart caption, h2 ~ .chart figcaption {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .part { display: block; width: 100%; height: .2rem; margin-top: .25rem; }
        .part rect { fill: var(--mark); }
        .file { margin: .35rem 0 0; font-size: .875rem; }
        .chart { margin: 0; }
        .chart + details { margin-top: -.35rem; }
        .chart figcaption { font-weight: 600; }
        .chart .unit, .chart .key { font-size: .8125rem; color: var(--quiet); margin: 0; }
        .key { display: flex; gap: 1rem; float: right; }
        .key span::before { content: ""; display: inline-block; width: .8rem; height: .65rem; margin-right: .35rem; }
        .key .now::before { background: var(--mark); }
        .key .former::before { background: var(--before); border-top: 2px solid var(--former); }
        svg { display: block; }
        .plot.roomy { width: calc(100% - 96px); margin-left: 92px; }
        .plot { overflow: visible; width: calc(100% - 56px); margin: .75rem 4px 30px 52px; }
        .slot { fill: transparent; }
        g:hover > .slot { fill: var(--hover); }
        .grid { stroke: var(--line); stroke-width: 1; }
        .column { fill: var(--mark); }
        .before { fill: var(--before); }
        .former { stroke: var(--former); stroke-width: 2; }
        .tick, .label { fill: var(--quiet); font-size: 12px; }
        .tick { dominant-baseline: middle; }

        """

    private static let wide = """
        @media (max-width: 40rem) {
          main { padding: .75rem .75rem 1.5rem; }
          header { padding: 0 .75rem; }
          .card { padding: .75rem; }
          .brand, .label.optional { display: none; }
          .field, .field input, .field select { width: 100%; }
          table { font-size: .875rem; }
          th, td { padding-right: .75rem; }
          .headline { grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); }
          .headline div, .headline div:first-child { padding: 0; border: 0; }
          .operations { padding: .15rem .75rem; }
          /* The name and the first figures are on the screen together. */
          .campaign { width: auto; max-width: 40vw; }
          .campaign bdi, .campaign .ids { max-width: 40vw; }
          .ids { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
          .ids bdi { max-width: none; white-space: nowrap; }
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
