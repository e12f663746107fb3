import Gateway
import GatewayAPI
import GatewayStore
import HTTPTypes
import LiveActivity
import MockAPNs
import Testing

@Suite("Unknown fields", .serialized)
struct UnknownFieldTests {
    private static let text = ["Content-Type": "application/json"]

    /// The answer of an endpoint to a request with this body and query.
    private func answer(
        _ stage: TestStage, _ endpoint: Endpoint, body: String? = nil, query: String? = nil
    ) async throws -> TestStage.Answer {
        let request = EndpointRequest(endpoint, naming: .unknown)
        let path = query.map { request.path + (request.path.contains("?") ? "&" : "?") + $0 } ?? request.path
        let headers = ["X-Api-Key": stage.tenant.apiKey].merging(Self.text) { $1 }
        return try await stage.send(
            endpoint.method.rawValue, path, body ?? request.body, headers: headers)
    }

    @Test(
        "Every customer route refuses an unknown field, option or parameter and suggests the nearest name"
    )
    func customers() async throws {
        try await TestStage.run(configure: { $0.api.requestsPerMinute = 100_000 }) { stage in
            var (bodies, options, queries, contents, devices) = (0, 0, 0, 0, 0)
            for endpoint in stage.endpoints(.apiKey) {
                let name = "\(endpoint.method) \(endpoint.path)"
                let known = endpoint.body == .upload ? ["insider_ids"] : endpoint.fields.body
                if endpoint.body != .none, let field = known.first(where: { $0.count > 2 }) {
                    bodies += 1
                    // A field with an additional letter.
                    let near = try await answer(stage, endpoint, body: #"{"\#(field)s":"x"}"#)
                    #expect(near.status == 400 && near.code == "VALIDATION_FAILED", "\(name): \(near.text)")
                    #expect(
                        near["error"]?.string
                            == "\(field)s is not a valid field of this request; did you mean \(field)?",
                        "\(name)")
                    let far = try await answer(stage, endpoint, body: #"{"zzzzzzzzzz":"x"}"#)
                    #expect(far.code == "VALIDATION_FAILED", "\(name)")
                    #expect(far["error"]?.string?.hasSuffix("use \(known.joined(separator: ", "))") == true)
                }
                if known.contains("content") {
                    contents += 1
                    let refused = try await answer(stage, endpoint, body: #"{"content":{"content-state":{}}}"#)
                    #expect(
                        refused["error"]?.string
                            == "content.content-state is not a valid field of this request; did you mean content.content_state?",
                        "\(name)")
                }
                if known.contains("target_devices") {
                    devices += 1
                    let refused = try await answer(stage, endpoint, body: #"{"target_devices":[{"udids":"x"}]}"#)
                    #expect(
                        refused["error"]?.string
                            == "target_devices[0].udids is not a valid field of this request; did you mean target_devices[0].udid?",
                        "\(name)")
                }
                if let option = endpoint.fields.options.first {
                    options += 1
                    let refused = try await answer(stage, endpoint, body: #"{"options":{"\#(option)x":1}}"#)
                    #expect(
                        refused["error"]?.string
                            == "options.\(option)x is not a valid option of this request; did you mean options.\(option)?",
                        "\(name)")
                }
                queries += 1
                let refused = try await answer(stage, endpoint, query: "lmit=1")
                #expect(refused.status == 400 && refused.code == "VALIDATION_FAILED", "\(name): \(refused.text)")
                #expect(refused["error"]?.string?.hasPrefix("lmit is not a valid query parameter") == true, "\(name)")
                if endpoint.fields.query.contains("limit") {
                    #expect(refused["error"]?.string?.hasSuffix("did you mean limit?") == true, "\(name)")
                }
            }
            #expect(bodies > 15 && options > 6 && queries > 30 && contents == 6 && devices == 6)
        }
    }

    @Test(
        "An update answered before the router refuses unknown fields, except inside a customer's own objects"
    )
    func updates() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            #expect(try await stage.sync(0, id).status == 200)
            for _ in 0..<3 { #expect(try await stage.call("update", TestStage.body(id)).accepted == 1) }
            let pushes = stage.pushes(.update).count
            for (more, name) in [
                (#""target_device":[]"#, "target_device"),
                (#""options":{"skip_unchange":true}"#, "options.skip_unchange"),
                (#""\u0074arget":1"#, "target"),
                (
                    #""target_devices":[{"insider_id":"a","udid":"b"},{"udid":"b","insiderid":"a"}]"#,
                    "target_devices[1].insiderid"
                ),
            ] {
                let answer = try await stage.call("update", TestStage.body(id, more: more))
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(answer.text)")
                #expect(answer["error"]?.string?.hasPrefix("\(name) is not a valid ") == true, "\(answer.text)")
            }
            #expect(stage.pushes(.update).count == pushes)
            let misspelled = #"{"content_state":{},"atributes":{}}"#
            let refused = try await stage.call("update", TestStage.body(id, content: misspelled))
            #expect(
                refused["error"]?.string
                    == "content.atributes is not a valid field of this request; did you mean content.attributes?")
            #expect(refused.code == "VALIDATION_FAILED" && stage.pushes(.update).count == pushes)
            let content = #"{"content_state":{"anything":{"at":"all"}},"attributes":{"content-state":1}}"#
            let body = #"{"activity_id":"\#(id)","activity_type":"\#(TestStage.type)","content":\#(content)}"#
            #expect(try await stage.call("update", body).accepted == 1)
        }
    }

    @Test("Long runs of combining marks are refused, because comparing them takes too long")
    func marks() async throws {
        try await TestStage.run { stage in
            let marks = "e" + String(repeating: "\u{301}\u{327}", count: 200_000)
            let id = try await stage.started(1)
            let api = ["X-Api-Key": stage.tenant.apiKey].merging(Self.text) { $1 }
            let sdk = ["X-Sdk-Key": stage.tenant.sdkKey].merging(Self.text) { $1 }
            for more in [#""\#(marks)":1"#, #""options":{"\#(marks)":1}"#] {
                let answer = try await stage.call("update", TestStage.body(id, more: more))
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(answer.text.prefix(300))")
                #expect(answer.bytes.count < 1_000)
            }
            for (path, body) in [
                ("/api/v1/webhooks", #"{"url":"https://a.example/","types":["\#(marks)"]}"#),
                ("/api/v1/live-activity/register", #"{"activity_type":"\#(marks)","insider_ids":["a"]}"#),
                ("/api/v1/live-activity/register", #"{"activity_type":"A","insider_ids":["\#(marks)"]}"#),
                (
                    "/api/v1/live-activity/schedule",
                    #"{"activity_id":"\#(id)","activity_type":"\#(marks)","event":"end"}"#
                ),
            ] {
                let answer = try await stage.send("POST", path, body, headers: api)
                #expect(answer.status == 400 && answer.bytes.count < 1_000, "\(path): \(answer.text.prefix(300))")
            }
            let short = String(marks.prefix(1).unicodeScalars.prefix(7_000))
            let device = #""insider_id":"a","udid":"b""#
            for body in [#"{\#(device),"platform":"\#(short)"}"#, #"{"insider_id":"\#(short)","udid":"b"}"#] {
                let answer = try await stage.send("PUT", "/api/v1/sdk/device", body, headers: sdk)
                #expect(answer.status == 400, "\(answer.text.prefix(300))")
                #expect(answer["error"]?.string?.contains("combining marks") == true, "\(answer.text.prefix(300))")
            }
            let escaped = String(repeating: "%CC%81", count: 1_000)
            let page = try await stage.send(
                "GET", "/api/v1/topics?limit=1\(escaped)", nil, headers: api)
            #expect(page.status == 400 && page.text.contains("combining marks"), "\(page.text.prefix(300))")
        }
    }

    @Test("A repeated query parameter is refused")
    func parameterTwice() async throws {
        try await TestStage.run { stage in
            let answer = try await stage.read("/api/v1/topics?limit=1&limit=2")
            #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED")
            #expect(answer["error"]?.string == "the query has limit more than once")
            let device = try await stage.send(
                "GET", "/api/v1/sdk/topics?insider_id=a&insider_id=b&udid=c", nil,
                headers: ["X-Sdk-Key": stage.tenant.sdkKey])
            #expect(device["error"]?.string == "the query has insider_id more than once", "\(device.text)")
        }
    }

    @Test("A blank activity_id in a query is missing, and wrong parameters come before a missing topic")
    func blankParameters() async throws {
        try await TestStage.run { stage in
            for (path, code) in [
                ("live-activity/schedule?activity_id=", "ACTIVITY_ID_REQUIRED"),
                ("live-activity/schedule?activity_id=%20", "ACTIVITY_ID_REQUIRED"),
                ("topics/none/followers?limit=0", "VALIDATION_FAILED"),
                ("topics/none/followers?cursor=x", "VALIDATION_FAILED"), ("topics/none/followers", "NOT_FOUND"),
            ] {
                let answer = try await stage.read("/api/v1/\(path)")
                #expect(answer.code == code, "\(path): \(answer.text)")
            }
        }
    }

    @Test("A change whose route has no body refuses one")
    func bodies() async throws {
        try await TestStage.run { stage in
            for path in ["rotate-secret", "test"] {
                let answer = try await stage.send(
                    "POST", "/api/v1/webhooks/none/\(path)", #"{"overlap":5}"#,
                    headers: ["X-Api-Key": stage.tenant.apiKey].merging(Self.text) { $1 })
                #expect(answer.code == "VALIDATION_FAILED" && answer.text.contains("has no body"), "\(answer.text)")
            }
        }
    }

    @Test("SDK routes ignore unknown fields, because apps may be newer than gateways")
    func devices() async throws {
        try await TestStage.run { stage in
            for endpoint in stage.endpoints(.sdkKey) where endpoint.body != .none {
                let request = EndpointRequest(endpoint, naming: .unknown)
                let body = "{\"of_the_future\":[1]," + (request.body?.dropFirst() ?? "}")
                let headers = ["X-Sdk-Key": stage.tenant.sdkKey].merging(Self.text) { $1 }
                let (plain, more) = (
                    try await stage.send(request, key: stage.tenant.sdkKey),
                    try await stage.send(endpoint.method.rawValue, request.path + "?x=1", body, headers: headers)
                )
                #expect(plain.status == more.status && plain.code == more.code, "\(endpoint.path): \(more.text)")
            }
        }
    }
}
