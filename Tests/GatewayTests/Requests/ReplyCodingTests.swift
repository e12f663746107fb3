import Foundation
import Gateway
import GatewayAPI
import GatewayStore
import HTTPTypes
import LiveActivity
import MockAPNs
import Testing

@Suite("Headers and codings of replies", .serialized)
struct ReplyCodingTests {
    @Test("A request without a valid key gets the form of the key in WWW-Authenticate")
    func challenge() async throws {
        try await TestStage.run { stage in
            for endpoint in stage.endpoints(.apiKey) + stage.endpoints(.sdkKey) {
                let answer = try await stage.send(EndpointRequest(endpoint, naming: .unknown), key: "wrong")
                #expect(answer.status == 401, "\(endpoint.path)")
                #expect(answer.headers["www-authenticate"] == #"Bearer realm="fanfare""#, "\(endpoint.path)")
            }
        }
    }

    @Test("A body with a coding other than identity gets 415 and Accept-Encoding on every route with a body")
    func requestCoding() async throws {
        try await TestStage.run(configure: { $0.api.requestsPerMinute = 100_000 }) { stage in
            for endpoint in stage.endpoints(.apiKey) + stage.endpoints(.sdkKey) where endpoint.body != .none {
                let request = EndpointRequest(endpoint, naming: .unknown)
                let isDevices = endpoint.credential == .sdkKey
                for (coding, isTaken) in [
                    ("gzip", false), ("identity", true), ("Identity, identity", true), ("br", false),
                    ("identity, gzip", false),
                ] {
                    let answer = try await stage.send(
                        endpoint.method.rawValue, request.path, request.body,
                        headers: [
                            isDevices ? "X-Sdk-Key" : "X-Api-Key": isDevices
                                ? stage.tenant.sdkKey : stage.tenant.apiKey,
                            "Content-Type": "application/json", "Content-Encoding": coding,
                        ])
                    #expect((answer.status == 415) != isTaken, "\(endpoint.path) \(coding): \(answer.text)")
                    guard !isTaken else { continue }
                    #expect(answer.code == "UNSUPPORTED_ENCODING" && answer.headers["accept-encoding"] == "identity")
                }
            }
        }
    }

    @Test("Long GET replies are gzip for clients that accept it; short ones and streams are not; tags fit both codings")
    func gzip() async throws {
        try await TestStage.run { stage in
            for path in ["/openapi.json", "/openapi.yaml", "/docs"] {
                let plain = try await stage.send("GET", path, nil, headers: [:])
                #expect(plain.headers["content-encoding"] == nil && plain.headers["vary"] == "Accept-Encoding")
                for accepted in ["gzip", "br, GZIP;q=0.5", "*", "deflate, x-gzip"] {
                    let answer = try await stage.send("GET", path, nil, headers: ["Accept-Encoding": accepted])
                    #expect(answer.headers["content-encoding"] == "gzip", "\(path) \(accepted)")
                    #expect(answer.bytes.count < plain.bytes.count / 3)
                    #expect(answer.headers["content-length"] == "\(answer.bytes.count)")
                    let unpacked = try await stage.gunzip(answer.bytes)
                    #expect(unpacked == plain.bytes)
                    let tag = try #require(answer.headers["etag"])
                    #expect(answer.headers["vary"] == "Accept-Encoding")
                    let strong = try #require(plain.headers["etag"])
                    #expect(tag == "W/\(strong)")
                    let known = try await stage.send(
                        "GET", path, nil, headers: ["If-None-Match": tag, "Accept-Encoding": accepted])
                    #expect(known.status == 304)
                }
                for accepted in ["", "identity", "gzip;q=0", "br", "*;q=0", "gzip;q=0, *"] {
                    let answer = try await stage.send("GET", path, nil, headers: ["Accept-Encoding": accepted])
                    #expect(answer.headers["content-encoding"] == nil && answer.bytes == plain.bytes, "\(accepted)")
                }
                let head = try await stage.send("HEAD", path, nil, headers: ["Accept-Encoding": "gzip"])
                #expect(head.status == 200 && head.headers["content-encoding"] == "gzip" && head.bytes.isEmpty)
            }
            let short = try await stage.send("GET", "/health/live", nil, headers: ["Accept-Encoding": "gzip"])
            #expect(short.headers["content-encoding"] == nil && short.headers["vary"] == nil)
            // A listing of devices.
            try await stage.addDevices(60)
            let id = try await stage.register(60)
            let listing = "/api/v1/live-activity/\(id)/devices?limit=60"
            let key = ["X-Api-Key": stage.tenant.apiKey]
            let plain = try await stage.send("GET", listing, nil, headers: key)
            let packed = try await stage.send(
                "GET", listing, nil, headers: key.merging(["Accept-Encoding": "gzip"]) { $1 })
            #expect(packed.headers["content-encoding"] == "gzip")
            let unpacked = try await stage.gunzip(packed.bytes)
            #expect(unpacked == plain.bytes)
        }
    }

    @Test("The connection of an HTTP/1.0 client ends after the answer, on every route and even if it wants to keep it")
    func oldClients() async throws {
        try await TestStage.run(configure: { $0.health.port = 0 }) { stage in
            let gateway = stage.gateways[0]
            let health = try #require(gateway.healthPort)
            let body = "Content-Length: 1\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
            for (port, line, fields) in [
                (gateway.port, "GET /health/live", ""), (gateway.port, "GET /none", ""),
                (gateway.port, "POST /api/v1/sdk/sync", "X-Sdk-Key: \(stage.tenant.sdkKey)\r\n\(body)"),
                (gateway.port, "POST /api/v1/live-activity/update", "X-Api-Key: \(stage.tenant.apiKey)\r\n\(body)"),
                (health, "GET /health/live", ""), (health, "GET /none", ""),
            ] {
                for connection in ["", "Connection: keep-alive\r\n"] {
                    let answer = try await DispatchThread.value {
                        let client = try RawClient(port: port)
                        client.send("\(line) HTTP/1.0\r\n\(fields)\(connection)\r\n\(fields.isEmpty ? "" : "{")")
                        return client.readToEnd()
                    }
                    let text = try #require(answer, "\(line), \(connection)")
                    #expect(!text.lowercased().contains("keep-alive") && !text.contains("100 Continue"), "\(text)")
                    #expect(text.ranges(of: "HTTP/1.").count == 1, "\(text)")
                }
            }
        }
    }

    @Test("A connection ends after the answer if the request asks for it in any spelling")
    func lastRequests() async throws {
        try await TestStage.run { stage in
            let port = stage.gateways[0].port
            for value in ["close", "Close", "close, TE", "TE, close"] {
                let answer = try await DispatchThread.value {
                    let client = try RawClient(port: port)
                    client.send("GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: \(value)\r\n\r\n")
                    return client.readToEnd()
                }
                #expect(answer?.lowercased().contains("\r\nconnection: close\r\n") == true, "\(value): \(answer ?? "")")
            }
        }
    }

    @Test("A document's 304 has Vary")
    func unchanged() async throws {
        try await TestStage.run { stage in
            let tag = try #require(try await stage.send("GET", "/openapi.json", "", headers: [:]).headers["etag"])
            let same = try await stage.send("GET", "/openapi.json", "", headers: ["If-None-Match": tag])
            #expect(same.status == 304 && same.headers["vary"] == "Accept-Encoding")
        }
    }
}

extension TestStage {
    /// The bytes that gzip decodes.
    func gunzip(_ bytes: [UInt8]) async throws -> [UInt8] {
        let file = "\(directory)/packed-\(UUID()).gz"
        try Data(bytes).write(to: URL(filePath: file))
        return try await DispatchThread.value {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/gzip")
            process.arguments = ["-dc", file]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            return Array(bytes)
        }
    }
}
