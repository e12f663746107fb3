import Foundation
import Gateway
import GatewayAPI
import HTTPTypes
import LiveActivity
import Testing

@testable import APIDocument

/// The document that the gateway serves of itself, held against the gateway.
@Suite("The document of the API", .serialized)
struct DocumentTests {
    private static let unlisted = "/api/v1/live-activity/6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0001/nothing"

    @Test("The routes of the document are the routes of the gateway, both ways")
    func routes() async throws {
        try await TestStage.run { stage in
            let document = try APIDocument()
            let described = Set(document.operations.map { "\($0.method) \($0.path)" })
            let served = Set(stage.gateways[0].endpoints.endpoints.map { "\($0.method) \($0.path)" })
            #expect(served.count > 10)
            #expect(described.subtracting(served).isEmpty, "described, not served")
            #expect(served.subtracting(described).isEmpty, "served, not described")
        }
    }

    @Test("Each route is described with the key, the body, the rate and the repetition that its row of the table has")
    func rows() async throws {
        try await TestStage.run { stage in
            let document = try APIDocument()
            for endpoint in stage.gateways[0].endpoints.endpoints {
                let label = "\(endpoint.method) \(endpoint.path)"
                let operation = try #require(
                    document.operations.first { "\($0.method) \($0.path)" == label }, "\(label)")
                #expect(operation.keys == endpoint.credential.described, "\(label)")
                #expect(operation.hasBody == (endpoint.body != .none), "\(label)")
                #expect(operation.statuses.contains("429") == (endpoint.credential != .none), "\(label)")
                #expect(operation.statuses.contains("401") == (endpoint.credential != .none), "\(label)")
                #expect(
                    operation.headers.contains { $0.hasSuffix("Idempotency-Key") } == endpoint.isRepeatable, "\(label)")
            }
        }
    }

    @Test("The fields, options and parameters of customers' routes are those that the gateway knows, both ways")
    func fields() async throws {
        try await TestStage.run { stage in
            let json = try JSONSerialization.jsonObject(with: Data(try APIDocument().json))
            let root = try #require(json as? [String: Any])
            func resolved(_ value: Any?) -> [String: Any] {
                var value = value as? [String: Any] ?? [:]
                while let reference = value["$ref"] as? String {
                    value =
                        reference.split(separator: "/").dropFirst()
                        .reduce(root as Any?) { ($0 as? [String: Any])?[String($1)] } as? [String: Any] ?? [:]
                }
                return value
            }
            func properties(_ schema: Any?) -> [String: Any] { resolved(resolved(schema)["properties"]) }
            for endpoint in stage.endpoints(.apiKey) {
                let label = "\(endpoint.method) \(endpoint.path)"
                let path = resolved(resolved(root["paths"])[endpoint.path])
                let operation = resolved(path["\(endpoint.method)".lowercased()])
                let parameters = ((path["parameters"] as? [Any] ?? []) + (operation["parameters"] as? [Any] ?? []))
                    .map(resolved).filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
                #expect(Set(parameters) == Set(endpoint.fields.query), "\(label)")
                let media = resolved(resolved(resolved(operation["requestBody"])["content"])["application/json"])
                let fields = properties(media["schema"])
                let known = endpoint.body == .upload ? ["insider_ids"] : endpoint.fields.body
                #expect(Set(fields.keys) == Set(known), "\(label)")
                #expect(Set(properties(fields["options"]).keys) == Set(endpoint.fields.options), "\(label)")
            }
        }
    }

    @Test("The codes and the reasons of skipped devices in the document are those of the gateway, both ways")
    func codes() throws {
        let described = try APIDocument().values(ofSchema: "ErrorCode")
        #expect(Set(described).count == described.count)
        #expect(Set(described) == Set(ErrorCodes.all))
        let skipped = try APIDocument().root["components"]?["schemas"]?["Skipped"]?["properties"]?.members ?? []
        #expect(Set(skipped.map(\.name)) == Set(SkipReason.allCases.map(\.name)))
    }

    @Test("GET /openapi.yaml answers the file of the source tree, with a tag that spares sending it again")
    func yaml() async throws {
        try await TestStage.run { stage in
            let answer = try await stage.send("GET", "/openapi.yaml", nil, headers: [:])
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/yaml")
            #expect(answer.bytes == APIDocument.yaml)
            #expect(answer.text.hasPrefix("openapi: 3.1."))
            let tag = try #require(answer.headers["etag"])
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let again = try await stage.send("GET", "/openapi.yaml", nil, headers: ["If-None-Match": known])
                #expect(again.status == 304 && again.bytes.isEmpty, "\(known)")
                #expect(again.headers["etag"] == tag)
            }
            let other = try await stage.send("GET", "/openapi.yaml", nil, headers: ["If-None-Match": "\"other\""])
            #expect(other.status == 200)
        }
    }

    @Test("GET /openapi.json answers the same as JSON")
    func json() async throws {
        try await TestStage.run { stage in
            let answer = try await stage.send("GET", "/openapi.json", nil, headers: [:])
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer["openapi"]?.string?.hasPrefix("3.1.") == true)
            #expect(answer["paths", "/health/live", "get", "operationId"]?.string == "getLiveness")
            #expect(answer["components", "schemas", "Instant", "maximum"]?.int64 == 9_999_999_999)
        }
    }

    @Test("GET /docs answers a page that loads nothing, with every operation on it")
    func page() async throws {
        try await TestStage.run { stage in
            let answer = try await stage.send("GET", "/docs", nil, headers: [:])
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            let policy = try #require(answer.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            for operation in try APIDocument().operations {
                #expect(answer.text.contains("<code>\(operation.path)</code>"), "\(operation.path)")
            }
        }
    }

    @Test("A method that a path does not have is answered with 405 and those that it has")
    func methods() async throws {
        try await TestStage.run { stage in
            func expect(_ method: String, _ path: String, _ allowed: [String]) async throws {
                let answer = try await stage.send(method, path, nil, headers: [:])
                #expect(
                    answer.status == 405 && answer.code == "METHOD_NOT_ALLOWED", "\(method) \(path): \(answer.text)")
                #expect(answer.headers["allow"] == allowed.joined(separator: ", "), "\(method) \(path)")
            }
            let endpoints = stage.gateways[0].endpoints.endpoints
            for (_, rows) in Dictionary(grouping: endpoints, by: \.path) {
                let methods = Set(rows.map(\.method.rawValue) + (rows.contains { $0.method == .get } ? ["HEAD"] : []))
                let path = EndpointRequest(rows[0], body: "").path.split(separator: "?")[0]
                for other in Set(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).subtracting(methods) {
                    try await expect(other, String(path), methods.sorted())
                }
            }
            try await expect("PATCH", "//docs/", ["GET", "HEAD"])
            for path in [Self.unlisted, "/api/v1/live-activity/broadcasts/word", "/api", "/openapi.yaml/x"] {
                let answer = try await stage.send("DELETE", path, nil, headers: [:])
                #expect(answer.status == 404 && answer.code == "NOT_FOUND", "\(path)")
            }
        }
    }

    @Test("Every GET can be asked as HEAD: the same head, no body")
    func head() async throws {
        try await TestStage.run { stage in
            for path in ["/health/live", "/openapi.yaml", "/docs"] {
                let get = try await stage.send("GET", path, nil, headers: [:])
                let head = try await stage.send("HEAD", path, nil, headers: [:])
                #expect(head.status == 200 && head.bytes.isEmpty, "\(path)")
                for name in ["content-type", "content-length", "etag"] {
                    #expect(head.headers[name] == get.headers[name], "\(name) of \(path)")
                }
            }
        }
    }
}

extension Endpoint.Credential {
    /// The document's names of keys.
    fileprivate var described: [String] {
        switch self {
        case .apiKey: ["ApiKey", "ApiBearer"]
        case .sdkKey: ["SdkKey", "SdkBearer"]
        case .none: []
        }
    }
}

extension APIDocument.Operation {
    fileprivate var keys: [String] { value["security"]?.elements.flatMap { $0.members.map(\.name) } ?? [] }
    fileprivate var hasBody: Bool { value["requestBody"] != nil }
    fileprivate var statuses: [String] { value["responses"]?.members.map(\.name) ?? [] }
    fileprivate var headers: [String] { value["parameters"]?.elements.compactMap(\.referenceName) ?? [] }
}
