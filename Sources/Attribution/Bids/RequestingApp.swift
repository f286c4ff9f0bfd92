import StrictJSON

/// The app that shows the ad as a bid request describes it, for extensions without `sourceapp`.
struct RequestingApp: Hashable, Sendable {
    /// Its App Store id; nil where the two members have different ones.
    let id: AppStoreItemID?
    /// The member that has it, `app.bundle` or `app.storeurl`; or both with what they have.
    let member: String

    /// Reads `app`; nil where neither member has the number.
    init?(_ fields: RequestFields) {
        // Other members decide nothing, whatever they are.
        guard let app = (try? fields.object("app")) ?? nil else {
            return nil
        }
        let bundle = ((try? app.integer("bundle")) ?? nil).flatMap { $0 > 0 ? $0 : nil }
        let store = ((try? app.string("storeurl")) ?? nil).flatMap(Self.storeID)
        guard let number = bundle ?? store else {
            return nil
        }
        if let store, store != number {
            id = nil
            member = "app.bundle \(number) and app.storeurl \(store)"
            return
        }
        id = AppStoreItemID(number)
        member = bundle == nil ? "app.storeurl" : "app.bundle"
    }

    /// The number in the address of an app's page, such as `https://apps.apple.com/us/app/name/id525463029?mt=8`; those
    /// of developers and bundles have other numbers.
    private static func storeID(_ url: String) -> Int64? {
        let address = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
        guard url.utf8.count <= 2_048, address.count >= 3,
            ["apps.apple.com", "itunes.apple.com"].contains(address[1].lowercased()), address.contains("app"),
            let last = address.last, last.hasPrefix("id"),
            last.utf8.dropFirst(2).allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(last.dropFirst(2)),
            number > 0
        else {
            return nil
        }
        return number
    }
}

extension RequestFields {
    /// `sourceapp`, or the app of the request where the extension has none, or `""`; the second value says from where.
    func sourceApp(
        orThatOf app: RequestingApp?
    ) throws(FieldProblem) -> (id: AppStoreItemID, member: String?) {
        let isEmpty = ((try? string("sourceapp")) ?? nil) == ""
        if !isEmpty, let id = try sourceApp("sourceapp") {
            return (id, nil)
        }
        guard let app, let id = app.id else {
            throw problem(
                "sourceapp", found: app?.member ?? (isEmpty ? "the string \"\"" : "nothing"),
                expected: "the App Store id of the app with the ad")
        }
        return (id, app.member)
    }
}
