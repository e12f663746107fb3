import Encodings
import GatewayStore
import LiveActivity

/// One of the demo's phones.
struct DemoDevice {
    /// What it is. Of ten, six are iPhones with the app from the store, of which three follow a channel, one is the
    /// developer's, two run Android, and the user of one does not allow notifications.
    enum Kind: CaseIterable {
        case iPhone, followingIPhone, developersIPhone, android, optedOut
    }

    let number: Int

    var kind: Kind {
        switch number % 10 {
        case 0..<3: .iPhone
        case 3..<6: .followingIPhone
        case 6: .developersIPhone
        case 7, 8: .android
        default: .optedOut
        }
    }

    /// How many of the first so many phones are of a kind.
    static func count(_ kind: Kind, of total: Int) -> Int {
        let ofTen = (0..<10).map { DemoDevice(number: $0).kind }
        return total / 10 * ofTen.count { $0 == kind } + ofTen.prefix(total % 10).count { $0 == kind }
    }

    var key: DeviceKey {
        DeviceKey(
            insiderID: "fan-\(number)", udid: UniqueID(high: 0xDE40, low: UInt64(number)).description.uppercased())
    }

    var device: Device {
        Device(
            platform: kind == .android ? .android : .ios,
            osVersion: kind == .followingIPhone ? .channels : OSVersion(major: 17, minor: 5),
            pushOptIn: kind != .optedOut, gdprConsent: true,
            environment: kind == .developersIPhone ? .sandbox : .production)
    }

    /// What a start goes to.
    var startToken: [UInt8] { kind == .android ? registrationToken : token(0xA0) }
    private var registrationToken: [UInt8] { Array("demo:APA91b-\(Hexadecimal.encode(token(0xC0)))".utf8) }

    /// Whether a start may be pushed to it.
    var isEligible: Bool { kind != .optedOut }

    /// What the phone reports when its user taps the bell of a topic.
    var followBody: String {
        #"{"insider_id":"\#(key.insiderID)","udid":"\#(key.udid)"}"#
    }

    /// The id of the activity, if the app of this phone knows it. Every third app reports by type alone.
    func knows(_ activityID: String) -> String? { number % 3 == 0 ? nil : activityID }

    /// True if the app is launched again and reports its token a second time, by type alone.
    var isLaunchedAgain: Bool { number % 7 == 0 && kind != .android }

    /// The report of a Live Activity that is there. An iPhone's has its token and its system id.
    /// - Parameter activityID: Nil names the activity by its type alone.
    func syncBody(_ act: DemoPhones.Act, activityID: String?) -> String {
        let name = activityID.map { #""activity_id":"\#($0)""# } ?? #""activity_type":"\#(act.rawValue)""#
        let own = #""token":"\#(Hexadecimal.encode(updateToken(act)))","system_activity_id":"\#(act)-\#(number)""#
        let token = kind == .android ? "" : ",\(own)"
        return #"{"insider_id":"\#(key.insiderID)","udid":"\#(key.udid)",\#(name)\#(token)}"#
    }

    /// The token of the Live Activity of an act.
    func updateToken(_ act: DemoPhones.Act) -> [UInt8] { token(act == .match ? 0xD0 : 0xB0) }

    /// A token as the phone's provider spells it.
    func provider(token: [UInt8]) -> String {
        kind == .android ? String(decoding: token, as: UTF8.self) : Hexadecimal.encode(token)
    }

    private func token(_ kind: UInt8) -> [UInt8] {
        [kind] + (0..<31).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) ^ UInt8($0 * 7) }
    }
}
