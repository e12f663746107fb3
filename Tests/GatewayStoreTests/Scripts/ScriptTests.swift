import Delivery
import RedisClient
import Testing

@testable import GatewayStore

@Suite("Scripts of the store")
struct ScriptTests {
    @Test("Redis takes every script, and knows it by the digest by which it is called")
    func parse() async throws {
        #expect(Scripts.all.count > 80)
        try await StoreStage.run { stage in
            for script in Scripts.all {
                let digest = try await stage.store.value(RedisCommand("SCRIPT", "LOAD", script.source)).string
                #expect(digest == script.digest, "\(script)")
            }
        }
    }

    @Test("The constants in the scripts have the values that the store uses")
    func constants() {
        #expect(scriptConstantValues.count > 80)
        for constant in scriptConstantValues { #expect(constant.inScripts == constant.inSwift, "\(constant.name)") }
        let kinds = (0..<UInt8(RouteKind.count)).filter { RouteKind(rawValue: $0).hasOneToken }
        #expect(ScriptConstants.KINDS.withOneToken == Set(kinds))
    }
}

/// The constant in Lua.
func lua(_ value: some BinaryInteger) -> String { "\(value)" }

func lua(_ value: Double) -> String { "\(value)" }

func lua(_ value: String) -> String { "'\(value)'" }

func lua(_ values: [Int]) -> String { "{\(values.map { "\($0)" }.joined(separator: ","))}" }

func lua(_ values: Set<UInt8>) -> String {
    "{\(values.sorted().map { "[\($0)]=true" }.joined(separator: ","))}"
}
