import StrictJSON
import Testing

@Suite("Strict base64")
struct Base64Tests {
    @Test(
        "The vectors of RFC 4648 encode and decode",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(_ plain: String, _ encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test(
        "Invalid text is refused",
        arguments: [
            "Zg", "Zg=", "Zm9vZh==", "Zm9vZm9=", "Zm9vZ===", "é===", "Zm9é", "Zg===", "Z===", "====", "Zh==", "Zm9=",
            "Zm9v\n", "Zm 9v", "Zm9-", "Zm9_", "=Zm9", "Zg==Zg==",
        ])
    func refused(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }
}

@Suite("Base64url without padding")
struct Base64URLTests {
    /// The vectors of RFC 4648, section 10, without padding, and the two characters that differ from standard base64.
    static let values: [([UInt8], String)] = [
        ([], ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"), (Array("foo".utf8), "Zm9v"),
        (Array("foob".utf8), "Zm9vYg"), (Array("fooba".utf8), "Zm9vYmE"), (Array("foobar".utf8), "Zm9vYmFy"),
        ([0xFB, 0xFF, 0xBF], "-_-_"),
    ]

    @Test("Known values encode and decode", arguments: values)
    func known(_ bytes: [UInt8], _ text: String) {
        #expect(Base64URL.encode(bytes) == text)
        var appended = Array("a.".utf8)
        Base64URL.append(bytes, to: &appended)
        #expect(appended == Array("a.\(text)".utf8))
        #expect(Base64URL.decode(Array(text.utf8)) == bytes)
    }

    @Test(
        "Any other encoding is refused",
        arguments: ["Zg==", "Zg=", "Z", "Zh", "Zm9", "Zm9vY", "Zm9v\n", " Zm9v", "+_-_", "/w", "Zm9vÄ"])
    func refused(_ text: String) {
        #expect(Base64URL.decode(Array(text.utf8)) == nil)
    }
}
