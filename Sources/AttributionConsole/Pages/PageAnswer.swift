import AttributionPages
import StrictJSON

/// What a page's route answers.
enum PageAnswer {
    /// A page.
    case page(Page)
    /// A table as a file.
    case file(csv: String, name: String)
    /// Another page, which the browser asks for.
    case seeOther(PageLink)

    /// A page, or one of its tables if the query wants that.
    ///
    /// - Throws: ``StrictJSON/FieldProblem`` for a table that the page does not have.
    init(_ page: Page, _ query: PageQuery) throws(FieldProblem) {
        guard query.isFile else {
            self = .page(page)
            return
        }
        let section = query.fields["section"]
        guard let table = page.tables.first(where: { $0.id == section }) else {
            throw FieldProblem(
                field: "section", found: section?.shortened(to: 40) ?? "nothing",
                expected: "one of " + page.tables.map(\.id).joined(separator: ", "))
        }
        self = .file(csv: table.csv, name: table.id)
    }
}
