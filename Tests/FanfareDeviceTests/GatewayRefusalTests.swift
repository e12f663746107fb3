import Foundation
import Testing

@testable import FanfareDevice

@Suite(
    "What a real gateway refuses", .serialized,
    .enabled(
        if: RealGateway.isThere,
        "the executable is not beside the tests, nor named by FANFARE_BINARY; `make test` builds it, and runs them"))
struct GatewayRefusalTests {
    @Test(
        "401, 403, 429, 503 and 202 are seen by the app, and all arrives when they have passed", .timeLimit(.minutes(3))
    )
    func refusals() async throws {
        let gateway = try await RealGateway()
        defer { gateway.end() }
        let phone = try LivePhone(1, gateway, seed: WalkSettings.seed)

        // A wrong signature, then a right one.
        phone.isSigning = false
        try await phone.launch()
        try await until(phone, "401") { if case .paused(.unauthorized, _, _) = $0 { true } else { false } }
        phone.isSigning = true
        try await arrives(phone)

        // A disabled tenant.
        try gateway.command(["tenant", "disable", "shop"])
        try await Task.sleep(for: .milliseconds(1100))
        phone.tell(.pushToStartToken(Data([1]), activityType: LivePhone.type))
        try await until(phone, "202") { if case .paused(.switchedOff, _, _) = $0 { true } else { false } }
        try gateway.command(["tenant", "enable", "shop"])
        try await Task.sleep(for: .milliseconds(1100))
        try await arrives(phone)

        // A tenant with a full device quota.
        try gateway.command(["tenant", "set-limits", "shop", "--devices", "1"])
        try await Task.sleep(for: .milliseconds(1100))
        let second = try LivePhone(2, gateway, seed: WalkSettings.seed)
        try await second.launch()
        try await until(second, "403") { if case .paused(.forbidden, _, _) = $0 { true } else { false } }
        try gateway.command(["tenant", "set-limits", "shop", "--devices", "default"])
        try await Task.sleep(for: .milliseconds(1100))
        try await arrives(second)

        // A device over its rate limit.
        try gateway.command(["tenant", "set-limits", "shop", "--device-sdk-requests-per-minute", "1"])
        try await Task.sleep(for: .milliseconds(1100))
        for number in 0..<4 as Range<UInt8> {
            phone.tell(.pushToStartToken(Data([2, number]), activityType: "Type\(number)"))
        }
        try await until(phone, "429") { if case .waiting(let seconds) = $0 { seconds > 5 } else { false } }
        let asked = await phone.device?.machine.queue.hold?.isDemanded
        #expect(asked == true)
        try gateway.command(["tenant", "set-limits", "shop", "--device-sdk-requests-per-minute", "off"])
        try await Task.sleep(for: .milliseconds(1100))
        try await arrives(phone)

        // A gateway that cannot reach its store.
        kill(gateway.redis.id, SIGSTOP)
        phone.tell(.pushToStartToken(Data([3]), activityType: LivePhone.type))
        try await until(phone, "503") { if case .waiting = $0 { true } else { false } }
        kill(gateway.redis.id, SIGCONT)
        try await arrives(phone)
        let known = try await gateway.call("GET", "/api/v1/users/user-1/devices")
        let devices = known["devices"] as? [[String: Any]] ?? []
        let tokens = devices.flatMap { $0["tokens"] as? [[String: Any]] ?? [] }
        #expect(tokens.contains { $0["ends_with"] as? String == "03" })
        #expect(tokens.count == 5)
        await phone.kill()
        await second.kill()
    }

    private func until(
        _ phone: LivePhone, _ what: String, _ holds: @escaping @Sendable (DeliveryState) -> Bool
    ) async throws {
        try await RealGateway.wait(what, seconds: 30) {
            guard let status = await phone.device?.status else { return false }
            return holds(status.delivery)
        }
    }

    private func arrives(_ phone: LivePhone) async throws {
        try await RealGateway.wait("all to arrive", seconds: 30) {
            await phone.device?.retryNow()
            return await phone.device?.flush(within: 30) ?? false
        }
    }

    @Test("A device that signs out is forgotten, and one that signs in again is told anew", .timeLimit(.minutes(2)))
    func signingOut() async throws {
        let gateway = try await RealGateway()
        defer { gateway.end() }
        let phone = try LivePhone(1, gateway, seed: WalkSettings.seed)
        try await phone.launch()
        try await phone.settle()
        phone.transport.mode = .none
        await phone.device?.signOut()
        try await until(phone, "a try") { if case .waiting = $0 { true } else { false } }
        await phone.kill()
        phone.transport.mode = .good
        let before = try await gateway.call("GET", "/api/v1/users/user-1/devices")["devices"] as? [Any]
        #expect(before?.count == 1)
        // The next launch sends the sign-out, although no user signs in.
        let configuration = try #require(FanfareConfiguration(gateway: gateway.url, sdkKey: gateway.tenant.sdkKey))
        var signed = configuration
        signed.identitySignature = { gateway.signature($0) }
        let device = FanfareDevice(
            signed, system: ScriptedSystem(type: LivePhone.type) { [] }, storage: FileSnapshotStorage(file: phone.file))
        await device.start()
        #expect(await device.flush(within: 20))
        let after = try await gateway.call("GET", "/api/v1/users/user-1/devices")["devices"] as? [Any]
        #expect(after?.count == 0)
        await device.signIn(phone.identity, phone.description)
        #expect(await device.flush(within: 20))
        let again = try await gateway.call("GET", "/api/v1/users/user-1/devices")["devices"] as? [[String: Any]]
        #expect((again?.first?["tokens"] as? [Any])?.count == 1)
        await device.stop()
    }
}
