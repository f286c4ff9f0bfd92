package import Attribution

/// A store that is copied into another one, while it may go on receiving.
///
/// Recorded postbacks are read with ``LedgerReading/export(_:)``, which hands out each of them once; what can change is
/// read whole each time.
package protocol LedgerCopySource: LedgerReading {
    /// Deliveries in the quarantine, in the order of their ids, and those that are there and cannot be read.
    ///
    /// - Parameters:
    ///   - last: The id after which the page begins; 0 for the first page.
    ///   - limit: The most of one page.
    /// - Returns: A page.
    /// - Throws: ``StoreError`` when it cannot be told what is there.
    func quarantinePage(after last: Int64, limit: Int) async throws -> QuarantinePage

    /// The counts of deliveries, and what became of some of the quarantine, in one snapshot.
    ///
    /// - Parameter ids: Deliveries that are or were in the quarantine.
    /// - Returns: The snapshot.
    /// - Throws: ``StoreError``, also when it cannot be told whether one of them is there.
    func deliverySnapshot(of ids: [Int64]) async throws -> DeliverySnapshot

    /// The first copies for other recipients than the recorded one, in the order of ids and recipients.
    ///
    /// - Parameters:
    ///   - last: The one after which the page begins; nil for the first page.
    ///   - limit: The most of one page, unless some cannot be read.
    /// - Returns: A page, without those that cannot be read.
    /// - Throws: ``StoreError``.
    func recipientCopies(after last: RecipientCopy?, limit: Int) async throws -> RecipientCopyPage

    /// The ids of postbacks that were counted before this store, in the order of their digests.
    ///
    /// - Parameters:
    ///   - last: The one after which the page begins; nil for the first page.
    ///   - limit: The most of one page.
    /// - Returns: A page.
    /// - Throws: ``StoreError``.
    func knownIDs(after last: KnownID?, limit: Int) async throws -> [KnownID]

    /// Which of some ids are among those of postbacks that were counted before this store.
    ///
    /// - Throws: ``StoreError``.
    func knownIDs(among ids: [KnownID]) async throws -> Set<KnownID>

    /// The files that were imported, and how far.
    ///
    /// - Throws: ``StoreError``.
    func importedFiles() async throws -> [ImportedFile]

    /// What is kept of signed ads and of spend.
    ///
    /// - Parameter ads: Which ads.
    /// - Returns: All of it.
    /// - Throws: ``StoreError``.
    func costTable(of ads: AdTraffic) async throws -> AdCostTable

    /// The networks the last owner or node named as ours; none: all are.
    ///
    /// - Throws: ``StoreError``.
    func ownNetworks() async throws -> [String]
}

/// The first copy of a postback that came for another recipient than the recorded one.
package struct RecipientCopy: Hashable, Sendable {
    /// The postback's id.
    package let id: Int64
    /// Whose copy it is.
    package let recipient: Delivery.Recipient
    /// When it was received, in Unix milliseconds.
    package let receivedAtMilliseconds: Int64

    /// Names a copy.
    package init(id: Int64, recipient: Delivery.Recipient, receivedAtMilliseconds: Int64) {
        self.id = id
        self.recipient = recipient
        self.receivedAtMilliseconds = receivedAtMilliseconds
    }
}

/// Some of the copies for other recipients.
package struct RecipientCopyPage: Sendable {
    /// The copies, in the order of ids and recipients.
    package let copies: [RecipientCopy]
    /// The one after which the next page begins, which need not exist; nil for the last page.
    package let next: RecipientCopy?
    /// Whether some of its copies cannot be read.
    package let isIncomplete: Bool

    /// Makes a page of copies that can all be read.
    package init(_ copies: [RecipientCopy], limit: Int) {
        self.init(copies, next: copies.count < limit ? nil : copies.last, isIncomplete: false)
    }

    /// Makes a page.
    package init(_ copies: [RecipientCopy], next: RecipientCopy?, isIncomplete: Bool) {
        self.copies = copies
        self.next = next
        self.isIncomplete = isIncomplete
    }
}
