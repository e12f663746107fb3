import Delivery
import LiveActivity
import Testing

@Suite("Kinds of route")
struct RouteKindTests {
    private static let platforms = [Device.Platform.ios, .android]
    private static let environments = [Device.Environment.production, .sandbox]

    private func kinds(_ platform: Device.Platform) -> [RouteKind] {
        let single = Self.environments.map { environment in
            RouteKind(
                Device(
                    platform: platform, osVersion: OSVersion(major: 18, minor: 1), pushOptIn: true, gdprConsent: true,
                    environment: environment))
        }
        return single + single.compactMap(\.follower)
    }

    @Test("A kind of route knows what its devices run, channels included", arguments: platforms)
    func platform(_ platform: Device.Platform) {
        for kind in kinds(platform) {
            #expect(kind.platform == platform)
            #expect(kind.hasOneToken == platform.hasOneToken)
        }
    }

    @Test("Android devices have one token for all pushes, iPhones one for each Live Activity")
    func tokens() {
        #expect(kinds(.ios).map(\.hasOneToken) == [false, false, false, false])
        #expect(kinds(.android).map(\.hasOneToken) == [true, true])
    }

    @Test("Customers are told of the provider, and of channels of APNs")
    func cohorts() {
        #expect(Set(kinds(.ios).map { Cohort($0) }) == [.apns])
        #expect(Set(kinds(.ios).map { Cohort($0, isToChannel: true) }) == [.channel])
        #expect(Set(kinds(.android).map { Cohort($0) }) == [.fcm])
    }
}
