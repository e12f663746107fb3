import Foundation
import Testing

@testable import FanfareDevice

@Suite("Names, bodies and what is kept")
struct FormTests {
    @Test("Texts are escaped as JSON wants it")
    func escapes() throws {
        var object = JSONObject()
        let text = "a\"b\\c\n\u{0}\u{1F}ä🎺\u{2028}"
        object.add("t", text)
        object.add("n", nil as String?)
        object.add("b", true)
        let read = try JSONSerialization.jsonObject(with: object.data) as? [String: Any]
        #expect(read?["t"] as? String == text)
        #expect(read?.count == 2)
    }

    @Test("A query's values are escaped")
    func query() throws {
        let identity = try #require(DeviceIdentity(insiderID: "a&b=c d+ä/?", udid: "%"))
        let request = GatewayRequest(.topics, for: identity, at: Given.moment(0))
        #expect(request.path == "/api/v1/sdk/topics?insider_id=a%26b%3dc%20d%2b%c3%a4%2f%3f&udid=%25")
        #expect(request.body == nil)
    }

    @Test("The gateway's id is found in the attributes by the name of its member")
    func attributesID() {
        struct Attributes: Codable {
            var fanfareActivityId: String?
            var number = 7
            var nested = ["fanfareActivityId": "other"]
        }
        #expect(AttributesID.find("fanfareActivityId", in: Attributes(fanfareActivityId: "a1")) == "a1")
        #expect(AttributesID.find("fanfareActivityId", in: Attributes()) == nil)
        for other in ["number", "nested", "none"] {
            #expect(AttributesID.find(other, in: Attributes(fanfareActivityId: "a1")) == nil)
        }
        #expect(AttributesID.find("fanfareActivityId", in: "text") == nil)
    }

    @Test("Names that no gateway takes are refused where they are made")
    func names() {
        #expect(DeviceIdentity(insiderID: "", udid: "a") == nil)
        #expect(DeviceIdentity(insiderID: "a", udid: String(repeating: "ä", count: 126)) == nil)
        #expect(ExternalActivity(activityType: " ", externalID: "a") == nil)
        #expect(ExternalActivity(activityType: "a", externalID: String(repeating: "a", count: 251)) == nil)
    }

    @Test(
        "Addresses without encryption are for this machine alone",
        arguments: [
            ("https://push.example.com", true), ("https://push.example.com/live/", true),
            ("http://127.0.0.1:8080", true),
            ("http://push.example.com", false), ("ftp://push.example.com", false), ("https://a.example?x=1", false),
        ])
    func address(text: String, isTaken: Bool) throws {
        let url = try #require(URL(string: text))
        let configuration = FanfareConfiguration(gateway: url, sdkKey: "ffs_key")
        #expect((configuration != nil) == isTaken)
        #expect(FanfareConfiguration(gateway: url, sdkKey: "a\r\nb") == nil)
        guard
            let call = configuration?.call(GatewayRequest(.erase, for: Given.ann, at: Given.moment(0)), signature: "s")
        else { return }
        #expect(call.url.absoluteString.hasSuffix("/api/v1/sdk/device") && !call.url.path.contains("//"))
        #expect(call.headers["X-Sdk-Key"] == "ffs_key" && call.headers["X-Identity-Signature"] == "s")
    }

    @Test("What is kept comes back whole, and what means nothing is put aside")
    func storage() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("deep/fanfare.json")
        let storage = FileSnapshotStorage(file: file)
        #expect(try storage.load() == nil)
        var machine = Given.signedIn()
        _ = machine.wished(true, "m", at: Given.moment(0))
        _ = machine.takeActions()
        try storage.save(Snapshot.data(of: machine))
        #expect(try storage.load().flatMap(Snapshot.machine) == machine)
        for text in [
            "", "{", #"{"version":2,"machine":{}}"#,
            String(decoding: try Snapshot.data(of: machine).dropLast(9), as: UTF8.self),
        ] {
            #expect(Snapshot.machine(in: Data(text.utf8)) == nil)
        }
        storage.setAside()
        #expect(try storage.load() == nil)
        #expect(FileManager.default.fileExists(atPath: file.path + ".corrupt"))
    }

    @Test("After a restart of the phone the wall's clock counts, never backwards")
    func moments() {
        let before = Moment(wall: Date(timeIntervalSince1970: 1000), uptime: 500)
        #expect(Moment(wall: Date(timeIntervalSince1970: 1100), uptime: 10).elapsed(since: before) == 100)
        #expect(Moment(wall: Date(timeIntervalSince1970: 900), uptime: 10).elapsed(since: before) == 0)
        #expect(Moment(wall: Date(timeIntervalSince1970: 0), uptime: 510).elapsed(since: before) == 10)
    }

    @Test("Fields of an unknown form do not spoil a reply")
    func replies() {
        let reply = GatewayReply(
            reading: Data(#"{"status":"success","state":"postponed","activity_id":7,"more":{}}"#.utf8))
        #expect(reply.status == "success" && reply.state == nil && reply.activityID == nil)
        let topics = GatewayReply(reading: Data(#"{"status":"success","topics":[{"topic":"m","state":"new"}]}"#.utf8))
            .topics
        #expect(topics == [FollowedTopic(topic: "m", state: nil)])
    }
}
