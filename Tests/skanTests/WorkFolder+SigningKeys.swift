import Foundation

extension WorkFolder {
    /// Makes a network's keys `old.pem` for versions up to 2.0 and `new.pem` for later ones, and `keys.json`, which lists
    /// them.
    func makeSigningKeys() throws {
        for (curve, name) in [("p192", "old"), ("p256", "new")] {
            _ = try SkanProcess.run(["keys", "generate", "--curve", curve, "\(name).pem"], in: url)
        }
        let list = """
            {"keys": [{"ad-network-id": "example123.skadnetwork", "file": "old.pem", "versions": "1.0-2.0",
                       "use": "active", "registry-id": 306},
                      {"ad-network-id": "example123.skadnetwork", "file": "new.pem", "versions": "2.1-4.0",
                       "use": "active"}]}
            """
        try Data(list.utf8).write(to: url.appendingPathComponent("keys.json"))
    }
}
