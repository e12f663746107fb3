import LiveActivity
import Testing
import TimeCore

@Suite("Names of users are bytes")
struct NameBytesTests {
    /// One letter in two spellings, which Swift takes for equal texts.
    private static let composed = "jos\u{E9}"
    private static let decomposed = "jose\u{301}"

    @Test("Two spellings of one letter are two users, whose devices and activities are not each other's")
    func spellings() {
        #expect(Self.composed == Self.decomposed)
        let device = DeviceKey(insiderID: Self.composed, udid: "d")
        #expect(device.isOf(Self.composed) && !device.isOf(Self.decomposed) && !device.isOf("jose"))
        #expect(device != DeviceKey(insiderID: Self.decomposed, udid: "d"))
        var activity = Activity(
            id: .random(), tenantID: "t", type: "T", createdAt: WallTime(seconds: 1), endsAt: WallTime(seconds: 9))
        #expect(!activity.isOwn(of: ""))
        activity.externalOwner = Self.composed
        #expect(activity.isOwn(of: Self.composed) && !activity.isOwn(of: Self.decomposed))
    }

    @Test("A name is any text that a URL can have in its path")
    func names() {
        let longest = String(repeating: "x", count: DeviceKey.maximumLength)
        for name in ["a", "...", ".a", "a.", " ", "%2E", "/", longest] { #expect(DeviceKey.isName(name), "\(name)") }
        for name in ["", ".", "..", "a\0", longest + "x"] { #expect(!DeviceKey.isName(name), "\(name)") }
    }
}
