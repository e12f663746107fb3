import Encodings
import GatewayStore
import LiveActivity

/// A simulated phone.
struct DemoDevice {
    /// The kind of phone. Six of ten are iPhones with the app from the store, and three of these follow a channel. One
    /// is a developer's iPhone, two run Android, and one has opted out.
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

    /// Returns the number of phones of a kind among the first `total`.
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

    /// The destination of a start.
    var startToken: [UInt8] { kind == .android ? registrationToken : token(0xA0) }
    private var registrationToken: [UInt8] { Array("demo:APA91b-\(Hexadecimal.encode(token(0xC0)))".utf8) }

    /// True if the phone accepts pushes.
    var isEligible: Bool { kind != .optedOut }

    /// The body with which the app follows a topic.
    var followBody: String {
        #"{"insider_id":"\#(key.insiderID)","udid":"\#(key.udid)"}"#
    }

    /// Returns the activity's id if the phone's app knows it. Every third app reports by type alone.
    func knows(_ activityID: String) -> String? { number % 3 == 0 ? nil : activityID }

    /// True if the app is launched again and reports its token a second time, by type alone.
    var isLaunchedAgain: Bool { number % 7 == 0 && kind != .android }

    /// Returns the report of a Live Activity. On an iPhone it includes the token and the system id.
    /// - Parameter activityID: Pass nil to name the activity by its type alone.
    func syncBody(_ act: DemoPhones.Act, activityID: String?) -> String {
        let name = activityID.map { #""activity_id":"\#($0)""# } ?? #""activity_type":"\#(act.rawValue)""#
        let own = #""token":"\#(Hexadecimal.encode(updateToken(act)))","system_activity_id":"\#(act)-\#(number)""#
        let token = kind == .android ? "" : ",\(own)"
        return #"{"insider_id":"\#(key.insiderID)","udid":"\#(key.udid)",\#(name)\#(token)}"#
    }

    /// Returns the token of the Live Activity of an act.
    func updateToken(_ act: DemoPhones.Act) -> [UInt8] { token(act == .match ? 0xD0 : 0xB0) }

    /// Returns a token in the format of the phone's provider.
    func provider(token: [UInt8]) -> String {
        kind == .android ? String(decoding: token, as: UTF8.self) : Hexadecimal.encode(token)
    }

    private func token(_ kind: UInt8) -> [UInt8] {
        [kind] + (0..<31).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) ^ UInt8($0 * 7) }
    }
}
