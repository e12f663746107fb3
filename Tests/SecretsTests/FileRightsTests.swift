import Secrets
import Testing

@Suite("Who may read a file of secrets")
struct FileRightsTests {
    @Test(
        "Its owner alone may; root may give it to a group to read, as packages and orchestrators do",
        arguments: [
            (0o600, 1000, false), (0o400, 1000, false), (0o640, 1000, true), (0o604, 1000, true), (0o610, 1000, true),
            (0o600, 0, false), (0o640, 0, false), (0o440, 0, false), (0o660, 0, true), (0o644, 0, true),
            (0o650, 0, true),
        ])
    func rights(mode: Int, owner: Int, areOpen: Bool) {
        let rights = FileRights(mode: UInt32(0o100_000 | mode), owner: UInt32(owner))
        #expect(rights.areOpen == areOpen && rights.text == "0" + String(mode, radix: 8))
    }
}
