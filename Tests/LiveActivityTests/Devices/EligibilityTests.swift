import LiveActivity
import TestSupport
import Testing

@Suite("Eligibility")
struct EligibilityTests {
    @Test("Consent comes first, then opt-in, then the version, then the token, of which Android has another")
    func table() throws {
        let versions = try ["16.9", "17.1", "17.2", "18.0"].map { try #require(OSVersion($0)) }
        for platform in [Device.Platform.ios, .android] {
            for version in versions {
                for bits in 0..<8 {
                    let (consent, optIn, token) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0)
                    let device = Device(
                        platform: platform, osVersion: version, pushOptIn: optIn, gdprConsent: consent,
                        environment: .production)
                    let expected: SkipReason? =
                        if !consent { .gdprDenied } else if !optIn {
                            .pushOptOut
                        } else if platform == .android {
                            token ? nil : .noRegistrationToken
                        } else if version.major < 17 || (version.major == 17 && version.minor < 2) {
                            .osVersion
                        } else if !token { .noPushToStartToken } else { nil }
                    #expect(device.ineligibilityForStart(hasToken: token) == expected)
                    let refusal: SkipReason? = !consent ? .gdprDenied : !optIn ? .pushOptOut : nil
                    #expect(device.refusesPushes == refusal)
                }
            }
        }
    }

    @Test(
        "Versions are read from one, two or more parts and compared by the first two",
        arguments: [
            ("18", 18, 0), ("17.2", 17, 2), ("17.2.1", 17, 2), ("17.10", 17, 10), ("017.02", 17, 2),
            ("16.4.1 (a)", 16, 4),
            ("65535.65535", 65535, 65535), ("17.2.", 17, 2),
        ])
    func version(text: String, major: UInt16, minor: UInt16) {
        #expect(OSVersion(text) == OSVersion(major: major, minor: minor))
    }

    @Test(
        "What has a part that is no number is no version",
        arguments: [
            "", ".", "17.", ".2", "a", "17.x", "-17", "+17", "17.+2", "17.-0", " 17", "17 ", "65536", "1.65536", "1７",
            "17,2",
        ])
    func noVersion(text: String) {
        #expect(OSVersion(text) == nil)
    }

    @Test("Versions are ordered by number, not by spelling")
    func order() {
        var random = TestSeed.generator()
        let ascending = ["9.9", "16.1", "17.1", "17.2", "17.10", "18.0", "26.0"].compactMap { OSVersion($0) }
        #expect(ascending == ascending.shuffled(using: &random).sorted())
        #expect(ascending.filter { $0 >= .pushToStart }.count == 4)
        #expect(ascending.map(\.description) == ["9.9", "16.1", "17.1", "17.2", "17.10", "18.0", "26.0"])
    }

    @Test("Counts keep their reason, add up, and show only what occurred, in the API's order")
    func counts() {
        var counts = SkipCounts()
        #expect(counts.isEmpty && counts.occurring.isEmpty)
        var expected: [SkipReason: Int] = [:]
        for (number, reason) in SkipReason.allCases.reversed().enumerated() where number % 3 != 0 {
            counts[reason] += number
            expected[reason] = number
        }
        var twice = counts
        twice.add(counts)
        twice.add(SkipCounts())
        for reason in SkipReason.allCases { #expect(twice[reason] == 2 * (expected[reason] ?? 0)) }
        #expect(twice.occurring.map(\.reason) == SkipReason.allCases.filter { (expected[$0] ?? 0) > 0 })
        #expect(!twice.isEmpty && counts != twice)
    }

    @Test("Stored codes and the contract's names of skip reasons stay what they are")
    func reasons() {
        #expect(SkipReason.allCases.map(\.rawValue) == Array(1...10) + [13, 11, 12, 14])
        #expect(
            SkipReason.allCases.map(\.name) == [
                "unknown_user", "no_device", "os_version", "push_opt_out", "gdpr_denied", "no_push_to_start_token",
                "not_in_segment", "not_synced", "superseded", "ended",
                "no_registration_token", "start_limit", "active", "too_many_cards",
            ])
    }
}
