import Encodings
import HTTPCalls
import TestProvider
import TimeCore

/// A server and a client for one test.
final class CallStage: Sendable {
    let provider: TestProvider
    let client: CallClient
    private let base: String

    init(
        authority: String = TestIdentity.shared.authority, port: UInt16? = nil, proxy: ProxyURL? = nil,
        change: (inout CallClient.Options) -> Void = { _ in }
    ) throws {
        provider = try TestProvider()
        base = "https://localhost:\(port ?? provider.port)"
        var options = CallClient.Options(caFile: authority)
        options.proxy = proxy
        change(&options)
        client = try CallClient(options)
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
        _ method: HTTPCall.Method = .get, _ path: String = "/all", fields: [(name: String, value: String)] = [],
        body: [UInt8] = [], deadline: TimeInterval = .seconds(60)
    ) async -> Result<HTTPAnswer, HTTPCallFailure> {
        await client.call(HTTPCall(method, base + path, fields: fields, body: body), deadline: deadline)
    }

    func close() async {
        client.close()
        await provider.stop()
    }
}

extension Result where Success == HTTPAnswer, Failure == HTTPCallFailure {
    var answer: HTTPAnswer? { try? get() }
    var failure: HTTPCallFailure? { if case .failure(let failure) = self { failure } else { nil } }
}
