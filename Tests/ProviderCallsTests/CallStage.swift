import Connecting
import Encodings
import ProviderCalls
import Reactor
import TLS
import TestProvider
import TimeCore

/// A server, a reactor and a client for one test.
final class CallStage: @unchecked Sendable {
    let provider: TestProvider
    let client: CallClient
    private let reactor: Reactor

    init(
        trust: TLSContext.Trust = .file(TestIdentity.shared.authority), port: UInt16? = nil, proxy: ProxyURL? = nil,
        connectTimeout: TimeInterval = .seconds(20), change: (inout CallClient.Options) -> Void = { _ in }
    ) throws {
        provider = try TestProvider()
        reactor = try Reactor(name: "calls")
        var connecting = ProviderConnector.Options(proxy: proxy)
        connecting.connectTimeout = connectTimeout
        var options = CallClient.Options()
        change(&options)
        let connector = try ProviderConnector(
            to: try ProviderURL("https://localhost:\(port ?? provider.port)"), trust: trust, options: connecting,
            on: reactor)
        client = CallClient(connector, options: options, on: reactor)
    }

    static func run(
        _ stage: CallStage, _ body: (CallStage) async throws -> Void
    ) async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await body(stage)) } catch { result = .failure(error) }
        await stage.close()
        try result.get()
    }

    func call(
        _ call: ProviderCall, deadline: TimeInterval = .seconds(60)
    ) async -> Result<ProviderAnswer, ProviderCallFailure> {
        await reactor.call(stopped: .failure(ProviderCallFailure("stopped", mayHaveBeenProcessed: false))) { done in
            self.client.call(call, deadline: deadline) { done($0) }
        }
    }

    func close() async {
        await reactor.call(stopped: ()) { done in
            self.client.close()
            done(())
        }
        await provider.stop()
        reactor.stop()
    }
}

extension Result where Success == ProviderAnswer, Failure == ProviderCallFailure {
    var answer: ProviderAnswer? { try? get() }
    var failure: ProviderCallFailure? { if case .failure(let failure) = self { failure } else { nil } }
}
