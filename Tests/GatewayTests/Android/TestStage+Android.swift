import FCM
import Foundation
import Gateway
import GatewayStore
import LiveActivity
import MockFCM
import TLS
import Testing
import TimeCore

extension TestStage {
    /// Runs with gateways whose app reaches Android through a mock of FCM.
    static func runWithFCM(
        gateways: Int = 1, clock: TestClock? = nil, configure: (inout GatewayOptions) -> Void = { _ in },
        _ body: (TestStage, MockFCM) async throws -> Void
    ) async throws {
        var options = MockFCM.Options(directory: "/tmp/fanfare-fcm-\(UniqueID.random())")
        options.ledger = .full
        let fcm = try MockFCM.start(options)
        defer {
            fcm.stop()
            try? FileManager.default.removeItem(atPath: options.directory)
        }
        try await run(
            gateways: gateways, clock: clock,
            configure: { gateway in
                var android = FCMOptions(
                    serviceAccountFile: fcm.serviceAccountFile, url: fcm.url, trust: .file(fcm.caFile))
                // The quota is another test's subject.
                android.rampUp = .zero
                gateway.fcm = android
                configure(&gateway)
            }
        ) { stage in try await body(stage, fcm) }
    }

    /// The registration token of an Android phone.
    static func registrationToken(_ number: Int) -> String {
        let digits = String(number)
        return "f\(String(repeating: "0", count: 6 - digits.count))\(digits):APA91b-registration-token-of-a-phone"
    }

    /// Adds phones by their numbers, Android ones with a registration token and iPhones with a push-to-start token.
    func addPhones(_ numbers: Range<Int>, isAndroid: (Int) -> Bool) async throws {
        let batch = numbers.map { number in
            var phone = TestStage.phone
            let isAndroid = isAndroid(number)
            if isAndroid { phone.platform = .android }
            let token = isAndroid ? Array(TestStage.registrationToken(number).utf8) : TestStage.startToken(number)
            return (key: TestStage.key(number), device: phone, token: Optional(token))
        }
        for start in stride(from: 0, to: batch.count, by: 2_000) {
            try await setup.store.devices.importDevices(
                Array(batch[start..<min(batch.count, start + 2_000)]), tenantID: tenant.tenantID)
        }
    }

    /// An activity of these users.
    func register(ids numbers: [Int]) async throws -> String {
        let ids = numbers.map { #""\#(TestStage.key($0).insiderID)""# }.joined(separator: ",")
        let body = #"{"activity_type":"\#(TestStage.type)","insider_ids":[\#(ids)],"ends_at":"\#(endsAt())"}"#
        return try #require(try await call("register", body)["activity_id"]?.string)
    }
}
