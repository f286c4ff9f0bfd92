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
