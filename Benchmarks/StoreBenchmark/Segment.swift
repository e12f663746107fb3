import GatewayStore
import LiveActivity
import RosterCore
import TimeCore

/// Users with one device each, made from their number: the same in every run.
struct Segment: Sendable {
    static let type = "MatchAttributes"
    let count: Int

    func key(_ number: Int) -> DeviceKey {
        let digits = String(number)
        let insiderID = "user-" + String(repeating: "0", count: max(0, 7 - digits.count)) + digits
        var generator = Mixer(state: UInt64(number))
        return DeviceKey(
            insiderID: insiderID, udid: UniqueID.random(using: &generator).description.uppercased())
    }

    func device(_ number: Int) -> (key: DeviceKey, device: Device, token: [UInt8]?) {
        let device = Device(
            platform: .ios, osVersion: OSVersion(major: 18, minor: 1), appVersion: "5.12.0", pushOptIn: true,
            gdprConsent: true, environment: .production)
        return (key(number), device, token(number, salt: 1))
    }

    func updateToken(_ number: Int) -> [UInt8] { token(number, salt: 2) }

    /// A page of update tokens as it lies in Redis, with the delivery statuses of its slots: see `TokenPage`.
    func updatePage() -> (bytes: [UInt8], statuses: [UInt8]) {
        var bytes: [UInt8] = [37]
        for number in 0..<RosterGeometry.slotsPerPage { bytes += [36, 1, 2, 3, 4] + updateToken(number) }
        return (bytes, [UInt8](repeating: DeliveryStatus.startAccepted, count: RosterGeometry.slotsPerPage))
    }

    /// 32 bytes, as Apple's are today.
    private func token(_ number: Int, salt: UInt64) -> [UInt8] {
        var generator = Mixer(state: UInt64(number) &+ salt << 40)
        return (0..<4).flatMap { _ in
            let word = generator.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
    }
}

/// Good enough numbers from a seed: a counter by the golden ratio, its bits mixed by multiplications.
private struct Mixer: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
