import Testing

@Suite("The signatures that tests make")
struct HMACTests {
    @Test("They are those that the API guide gives as an example")
    func example() {
        let secret =
            "ffi_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"
        #expect(
            HMAC.sha256(Array("ann".utf8), key: Array(secret.utf8))
                == "a736db214580426bb76e87e5d82e63eba0c02a804081fc448ef2d58085ad9127")
    }
}
