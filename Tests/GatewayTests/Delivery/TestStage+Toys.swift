import Delivery
import Gateway
import GatewayStore
import LiveActivity
import Reactor

extension TestStage {
    /// Runs with gateways whose devices of the sandbox are a toy provider's, each with one of its own.
    /// - Parameters:
    ///   - count: how many devices there are.
    ///   - isToys: which of them, by their numbers, are of the sandbox.
    ///   - token: the push-to-start token of each.
    static func runWithToys(
        gateways: Int = 1, devices count: Int, isToys: (Int) -> Bool, token: (Int) -> [UInt8],
        configure: (inout GatewayOptions) -> Void = { _ in }, _ body: (TestStage, [ToyProvider]) async throws -> Void
    ) async throws {
        let made = Locked<[ToyProvider]>([])
        try await run(
            gateways: gateways,
            configure: { options in
                configure(&options)
                options.providers[.apnsSandbox] = { reactor in
                    let toy = ToyProvider(reactor)
                    made.withLock { $0.append(toy) }
                    return toy
                }
            }
        ) { stage in
            let batch = (0..<count).map { number in
                var phone = TestStage.phone
                phone.environment = isToys(number) ? .sandbox : .production
                return (key: TestStage.key(number), device: phone, token: Optional(token(number)))
            }
            try await stage.store.devices.importDevices(batch, tenantID: stage.tenant.tenantID)
            try await body(stage, made.withLock { $0 })
        }
    }
}
