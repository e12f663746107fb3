import Encodings
import Secrets
import Testing

@testable import GatewayAPI

@Suite("Names of keys in the audit log")
struct KeyNameTests {
    @Test("A key's name is the first digits of its SHA-256", arguments: ["a", "ffk_1234", ""])
    func names(key: String) {
        #expect(AuditRecord.keyName(key) == Hexadecimal.encode(Digest.sha256(Array(key.utf8))).prefix(8))
    }
}
