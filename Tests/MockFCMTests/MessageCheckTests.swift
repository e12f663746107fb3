import MockFCM
import TestHTTP2Client
import Testing

@Suite("What the mock checks of a message")
struct MessageCheckTests {
    private static let device = TestFCM.device

    @Test("A message is taken and gets a name of its own")
    func accept() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        let token = try await stage.accessToken(client)
        let first = try #require(await client.send(stage.message(token)).response)
        let second = try #require(await client.send(stage.message(token)).response)
        #expect(first.status == 200 && second.status == 200)
        let name = try #require(first.text("name"))
        #expect(name.hasPrefix("projects/fanfare-mock/messages/0:") && name != second.text("name"))
        #expect(first.headers["content-type"] == "application/json; charset=UTF-8")
        #expect(first.headers["date"] == "Fri, 15 Jan 2027 08:00:00 GMT")
    }

    @Test(
        "What FCM's reference allows is taken",
        arguments: [
            #"{"topic":"news"}"#, #"{"condition":"'a' in topics"}"#, #"{"token":"D","data":null}"#,
            #"{"token":"D","android":{"priority":"HIGH","ttl":"3.5s","collapseKey":"a","notification":{"title":"t"}}}"#,
            #"{"token":"D","android":{"priority":"normal","ttl":"2419200s","collapse_key":"a"},"name":"x"}"#,
            #"{"token":"D","notification":{"title":"t","body":"b"},"apns":{"payload":{"aps":{}}},"fcmOptions":{}}"#,
            #"{"token":"D","data":{"content_state":"{\"a\":1}","e":"\u00e9"}}"#,
        ])
    func allowed(_ message: String) async throws {
        let answer = try await Self.answer(to: Self.body(message))
        #expect(answer.status == 200, "\(answer)")
    }

    @Test(
        "What is wrong with a message is named",
        arguments: [
            ("{}", "message"), (#"{"token":"D","topic":"t"}"#, "message"),
            (#"{"token":"D","colour":"red"}"#, "message"),
            (#"{"token":7}"#, "message.token"), (#"{"token":"D","data":{"a":1}}"#, "message.data"),
            (#"{"token":"D","data":{"a":{"b":"c"}}}"#, "message.data"), (#"{"token":"D","data":[]}"#, "message.data"),
            (#"{"token":"D","data":{"from":"x"}}"#, "message.data"),
            (#"{"token":"D","data":{"gcm.x":"x"}}"#, "message.data"),
            (#"{"token":"D","data":{"google":"x"}}"#, "message.data"),
            (#"{"token":"D","data":{"message_type":"x"}}"#, "message.data"),
            (#"{"token":"D","data":{"a":"1","a":"2"}}"#, "message.data"),
            (#"{"token":"D","android":{"priority":"HIGHEST"}}"#, "message.android.priority"),
            (#"{"token":"D","android":{"priority":10}}"#, "message.android.priority"),
            (#"{"token":"D","android":{"ttl":"3.5"}}"#, "message.android.ttl"),
            (#"{"token":"D","android":{"ttl":3}}"#, "message.android.ttl"),
            (#"{"token":"D","android":{"ttl":"-1s"}}"#, "message.android.ttl"),
            (#"{"token":"D","android":{"ttl":"2419200.000000001s"}}"#, "message.android.ttl"),
            (#"{"token":"D","android":{"collapse_key":"a","collapseKey":"b"}}"#, "message.android"),
            (#"{"token":"D","android":{"data":{"google.x":"x"}}}"#, "message.android.data"),
            (#"{"token":"short"}"#, "message.token"), (#"{"token":""}"#, "message.token"),
            (#"{"token":"D and a space"}"#, "message.token"), (#"{"token":"D\u00e9"}"#, "message.token"),
        ])
    func wrong(message: String, field: String) async throws {
        let answer = try await Self.answer(to: Self.body(message))
        #expect(answer.status == 400 && answer.text("status") == "INVALID_ARGUMENT", "\(answer)")
        #expect(answer.text("field") == field, "\(answer)")
    }

    @Test(
        "So is what is wrong with the request",
        arguments: ["", "{", "[]", #"{"message":{"token":"D"},"dry_run":true}"#, #"{"message":{"token":"D"}}x"#])
    func wrongRequest(_ body: String) async throws {
        let answer = try await Self.answer(to: body.replacing("D", with: Self.device))
        #expect(answer.status == 400 && answer.text("status") == "INVALID_ARGUMENT", "\(answer)")
        #expect(answer.text("errorCode") == nil && answer.body.contains("fieldViolations"))
    }

    @Test("Data may have 4,096 bytes, escapes resolved, and not one more")
    func size() async throws {
        let text = String(repeating: #"\n"#, count: 4_095)
        #expect(try await Self.answer(to: Self.body(#"{"token":"D","data":{"k":"\#(text)"}}"#)).status == 200)
        let answer = try await Self.answer(to: Self.body(#"{"token":"D","data":{"k":"\#(text)x"}}"#))
        #expect(answer.status == 400 && answer.text("field") == "message.data")
        #expect(answer.text("errorCode") == "INVALID_ARGUMENT")
    }

    @Test("A message that is only to be checked is checked, counted by itself and not sent")
    func validation() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        let token = try await stage.accessToken(client)
        let good = #"{"message":{"token":"\#(Self.device)"},"validate_only":true}"#
        let answer = try #require(await client.send(stage.request(token, good)).response)
        #expect(answer.text("name") == "projects/fanfare-mock/messages/fake_message_id")
        let bad = #"{"message":{"token":"nobody"},"validateOnly":true}"#
        #expect(await client.send(stage.request(token, bad)).status == 400)
        try stage.script(#"{"rules": [{"error": "UNAVAILABLE"}]}"#)
        #expect(await client.send(stage.request(token, good)).status == 503)
        #expect(stage.mock.counts().validations == 2 && stage.mock.counts().accepted == 0)
        #expect(stage.mock.messages().count == 1)
    }

    @Test("Who calls comes first, then the project, then the form of the body")
    func order() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        let token = try await stage.accessToken(client)
        try stage.script(#"{"denied_projects": ["theirs"]}"#)
        var request = stage.message(token)
        let nobody = await client.send(request.with("authorization", nil).with(body: "")).response
        #expect(nobody?.status == 401 && nobody?.text("reason") == "CREDENTIALS_MISSING")
        let unknown = await client.send(request.with("authorization", "Bearer ya29.mock")).response
        #expect(unknown?.status == 401 && unknown?.text("errorCode") == nil)
        request.path = "/v1/projects/nowhere/messages:send"
        let nowhere = await client.send(request.with(body: "")).response
        #expect(nowhere?.status == 404 && nowhere?.text("status") == "NOT_FOUND" && nowhere?.text("errorCode") == nil)
        request.path = "/v1/projects/theirs/messages:send"
        let theirs = await client.send(request).response
        #expect(theirs?.status == 403 && theirs?.text("status") == "PERMISSION_DENIED")
        let plain = await client.send(stage.message(token).with("content-type", "text/plain")).response
        #expect(plain?.status == 400 && plain?.text("status") == "INVALID_ARGUMENT")
        request.path = "/fcm/send"
        let page = await client.send(request).response
        #expect(page?.status == 404 && page?.headers["content-type"] == "text/html; charset=UTF-8")
    }

    @Test("Messages that differ in the token alone are each judged by theirs")
    func shapes() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        try stage.script(
            """
            {"malformed_tokens": {"minimum_length": 4, "prefixes": ["bad"]},
             "rules": [{"token_suffix": "dead", "error": "UNREGISTERED"}]}
            """)
        let token = try await stage.accessToken(client)
        let tokens = ["live", "bad1", "dead", "a", "live2", #"li\u0076e"#, "li ve", "dead", "live"]
        var answers: [Int] = []
        for device in tokens { answers.append(await client.send(stage.message(token, to: device)).status ?? 0) }
        #expect(answers == [200, 400, 404, 400, 200, 200, 400, 404, 200])
        let taken = stage.mock.messages().map(\.token)
        #expect(taken == ["live", "bad1", "dead", "a", "live2", "live", "li ve", "dead", "live"])
        #expect(stage.mock.acceptedByToken(.update) == ["live": 3, "live2": 1])
    }

    private static func body(_ message: String) -> String {
        #"{"message":\#(message.replacing(#""D"#, with: "\"" + device))}"#
    }

    private static func answer(to body: String) async throws -> TestResult.Response {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        return try #require(await client.send(stage.request(stage.accessToken(client), body)).response)
    }
}
