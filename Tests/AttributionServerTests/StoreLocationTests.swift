import AttributionServer
import AttributionStore
import Foundation
import Testing

@Suite("Where a store is")
struct StoreLocationTests {
    @Test("The web ads of a store behind a symlink are beside the file that the link leads to")
    func webAds() throws {
        let files = FileManager.default
        let folder = NSTemporaryDirectory() + "location-\(UUID())"
        try files.createDirectory(atPath: folder + "/far", withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        try files.createSymbolicLink(atPath: folder + "/link.sqlite", withDestinationPath: "far/a.sqlite")
        let stores = ["/link.sqlite", "/far/a.sqlite"]
        for makesFile in [true, false] {
            for store in stores {
                let ads = try StoreLocation(folder + store).makeWebAds(makesFile: makesFile)
                #expect(ads != nil)
                _ = try ads?.close()
            }
        }
        #expect(files.fileExists(atPath: folder + "/far/a.sqlite-web-ads"))
        #expect(!files.fileExists(atPath: folder + "/link.sqlite-web-ads"))
    }
}
