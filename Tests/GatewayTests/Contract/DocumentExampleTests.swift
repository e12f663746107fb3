import GatewayStore
import LiveActivity
import Testing

@testable import APIDocument

/// The examples of the API description are valid: the test sends each request and compares the answer's form.
@Suite("Examples of the document", .serialized)
struct DocumentExampleTests {
    private static let activityInExamples = "4978e9e5-e872-46c3-97e6-dca11aa6a53e"

    @Test("Every example of a request succeeds, with an answer in the described form")
    func requests() async throws {
        let document = try APIDocument()
        try await TestStage.run { stage in
            let actors = ExampleActors(stage: stage)
            try await actors.reportDevices()
            try await actors.storeSegment()
            var count = 0
            for operation in document.operations {
                for (type, media) in operation.value["requestBody"]?["content"]?.members ?? [] {
                    for (name, example) in media["examples"]?.members ?? [] {
                        let label = "\(operation.method) \(operation.path), \(type), \(name)"
                        let value = try #require(example["value"], "\(label)")
                        let isStart = value["event"]?.string == "start"
                        let id = try await actors.activity(for: isStart ? "/start" : operation.path)
                        let body = Self.adapted(value, activity: id)
                        let answer = try await actors.send(operation, type, body.string ?? body.json())
                        #expect((200...201).contains(answer.status), "\(label): \(answer.text)")
                        let problems = try Self.problems(answer, operation, document)
                        #expect(problems.isEmpty, "\(label): \(problems)")
                        count += 1
                    }
                }
            }
            #expect(count >= 15)
        }
    }

    @Test("Every JSON example has exactly the members of its schema")
    func examples() throws {
        let document = try APIDocument()
        var count = 0
        for operation in document.operations {
            var media = operation.value["requestBody"]?["content"]?.members ?? []
            for (_, response) in operation.value["responses"]?.members ?? [] {
                media += response.resolved(in: document.root)["content"]?.members ?? []
            }
            for (type, medium) in media where type == "application/json" {
                let view = SchemaView(medium["schema"] ?? .null, in: document.root)
                for (name, example) in medium["examples"]?.members ?? [] {
                    let value = try #require(example["value"])
                    let problems = Self.problems(value, view)
                    #expect(problems.isEmpty, "\(operation.path), \(name): \(problems)")
                    count += 1
                }
            }
        }
        #expect(count > 100)
    }

    /// The example with an existing id and with future times.
    private static func adapted(_ value: DocumentValue, activity: String) -> DocumentValue {
        switch value {
        case .mapping(let members):
            .mapping(
                members.map { member in
                    let ahead = ["ends_at": 7200, "deliver_at": 3600][member.name]
                    let new =
                        ahead.map { .string(TestStage.endsAt($0)) } ?? adapted(member.value, activity: activity)
                    return DocumentValue.Member(name: member.name, value: new)
                })
        case .sequence(let elements): .sequence(elements.map { adapted($0, activity: activity) })
        case .string(activityInExamples): .string(activity)
        default: value
        }
    }

    private static func problems(
        _ answer: TestStage.Answer, _ operation: APIDocument.Operation, _ document: APIDocument
    ) throws -> [String] {
        let response = operation.value["responses"]?["\(answer.status)"]?.resolved(in: document.root)
        guard let schema = response?["content"]?["application/json"]?["schema"] else { return ["it is not described"] }
        return problems(try DocumentValue(yaml: answer.text), SchemaView(schema, in: document.root))
    }

    /// The missing or unknown members, on every level that the schema describes.
    private static func problems(_ value: DocumentValue, _ view: SchemaView, at path: String = "") -> [String] {
        if let items = view.items { return value.elements.flatMap { problems($0, items, at: path + "[]") } }
        guard case .mapping(let members) = value, !view.fields.isEmpty else { return [] }
        let missing = view.fields.filter { field in
            field.isRequired && !members.contains { $0.name == field.name }
        }
        return missing.map { "\(path)/\($0.name) is missing" }
            + members.flatMap { member in
                guard let field = view.fields.first(where: { $0.name == member.name }) else {
                    return ["\(path)/\(member.name) is not described"]
                }
                return problems(member.value, field.view, at: "\(path)/\(member.name)")
            }
    }
}

/// The users of the examples, and activities in the state that a call needs.
private struct ExampleActors {
    private static let type = "OrderAttributes"
    private static let users = ["ann", "bob", "eve", "finn"]
    private static let segment = "vip"

    let stage: TestStage

    func reportDevices() async throws {
        for (number, user) in Self.users.enumerated() {
            let key = #""insider_id":"\#(user)","udid":"phone-\#(user)""#
            let device = """
                {\(key),"platform":"ios","os_version":"18.1","push_opt_in":true,"gdpr_consent":true,
                 "environment":"production"}
                """
            try await report("PUT", "device", device)
            try await report("PUT", "push-to-start-token", #"{\#(key),"token":"a\#(number)"}"#)
        }
    }

    /// The path with existing ids.
    func path(_ template: String) async throws -> String {
        guard template.contains("{webhook_id}") else { return template }
        let webhook = try await stage.addWebhook("https://hooks.example.com/")
        return template.replacing("{webhook_id}", with: webhook.id)
    }

    func send(_ operation: APIDocument.Operation, _ type: String, _ body: String) async throws -> TestStage.Answer {
        let key =
            operation.path.hasPrefix("/api/v1/sdk/")
            ? ["X-Sdk-Key": stage.tenant.sdkKey] : ["X-Api-Key": stage.tenant.apiKey]
        let path = try await path(operation.path).replacing("{name}", with: Self.segment)
            .replacing("{topic}", with: "ajax-feyenoord").replacing("{insider_id}", with: "zoe")
        return try await stage.send(operation.method, path, body, headers: key.merging(["Content-Type": type]) { $1 })
    }

    func storeSegment() async throws {
        let headers = ["X-Api-Key": stage.tenant.apiKey, "Content-Type": "application/json"]
        let answer = try await stage.send(
            "PUT", "/api/v1/segments/\(Self.segment)", #"{"insider_ids":["ann","bob"]}"#, headers: headers)
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// An activity as a call of this path needs it: registered, or started and synced.
    func activity(for path: String) async throws -> String {
        let users = path.hasSuffix("/add-users") ? #""ann","bob""# : #""ann","bob","eve""#
        let register = """
            {"activity_type":"\(Self.type)","insider_ids":[\(users)],"ends_at":"\(TestStage.endsAt())"}
            """
        let registered = try await stage.call("register", register)
        let id = try #require(registered["activity_id"]?.string, "\(registered.text)")
        let before = ["/register", "/add-users", "/remove-users", "/start"]
        guard !before.contains(where: path.hasSuffix) else { return id }
        let content = #"{"title":"a","message":"b","content_state":{}}"#
        let started = try await stage.call(
            "start", #"{"activity_id":"\#(id)","activity_type":"\#(Self.type)","content":\#(content)}"#)
        try #require(started.accepted == 3, "\(started.text)")
        // Each Live Activity has its own token and system id.
        let half = id.replacing("-", with: "")
        let sync = """
            {"insider_id":"ann","udid":"phone-ann","token":"\(half)\(half)","activity_id":"\(id)",
             "system_activity_id":"\(id.uppercased())"}
            """
        try await report("POST", "sync", sync)
        if path.contains("/sdk/schedule") {
            let own = #""activity_type":"\#(Self.type)","external_id":"chest","external_scope":"user""#
            try await report(
                "POST", "sync", #"{"insider_id":"ann","udid":"phone-ann","token":"\#(half)",\#(own)}"#)
        }
        // A restart needs a device that the start did not reach.
        if path.hasSuffix("/restart") { try await stage.setStatus(6, of: 1, in: id) }
        return id
    }

    private func report(_ method: String, _ endpoint: String, _ body: String) async throws {
        let answer = try await stage.report(method, endpoint, body)
        try #require(answer.status == 200, "\(answer.text)")
    }
}
