import APNs
import APNsCore
import Delivery
import LiveActivity
import PushClient
import TestProvider
import Testing

extension PushClientTests {
    @Suite("Pushes to a channel") struct ChannelTests {
        private static let channel = "dHN0LXNyY2gtY2hubA=="

        private func intent(_ event: PushEvent, bytes: Int, channel: String = Self.channel) -> Intent {
            Intent(
                broadcast: UniqueID(high: 0xE0E1_E2E3_E4E5_E6E7, low: 0xE8E9_EAEB_ECED_EEEF), activity: .random(),
                event: event, content: [UInt8](repeating: 0x61, count: bytes), expiration: 1_900_000_000,
                priority: .considerate, destination: .channel(channel))
        }

        private func rendered(_ stage: Stage, _ intent: Intent) throws -> PushTemplate? {
            try APNsSender(stage.client, bundleIdentifier: "com.example.app").render(intent) as? PushTemplate
        }

        @Test("It goes to the app's broadcasts, and the channel is named in a field of its own", arguments: [1, 5_120])
        func published(bytes: Int) async throws {
            let stage = try Stage()
            let push = try #require(try rendered(stage, intent(.update, bytes: bytes)))
            let recorder = OutcomeRecorder(stage.client, push, total: 1)
            await recorder.run()
            #expect(recorder.accepted.count == 1)
            let entry = try #require(stage.provider.ledger.first)
            #expect(entry.path == "/4/broadcasts/apps/com.example.app" && entry.bodyLength == bytes)
            #expect(entry.authorization.hasPrefix("bearer ") && entry.identifier.isEmpty)
            let expected = [
                ":method": "POST", "apns-channel-id": Self.channel, "apns-push-type": "liveactivity",
                "apns-topic": "com.example.app", "apns-priority": "5", "apns-expiration": "1900000000",
                "apns-request-id": "e0e1e2e3-e4e5-e6e7-e8e9-eaeb00000000",
            ]
            for (name, value) in expected { #expect(entry.headers[name] == value, "\(name)") }
            await stage.close()
        }

        @Test("A start names the channel to follow, which counts towards its 4,096 bytes")
        func followed() async throws {
            let stage = try Stage()
            let sender = try APNsSender(stage.client, bundleIdentifier: "com.example.app")
            func payload(_ length: Int) -> Payload {
                let state = ArraySlice((#"{"a":""# + String(repeating: "x", count: length) + #""}"#).utf8)
                return .start(type: "Match", content: Content(contentState: state), options: PresentationOptions())
            }
            let activity = UniqueID.random()
            let room = 4_096 - sender.contentSize(of: payload(0), .start, activity: activity, following: Self.channel)
            for (length, fits) in [(room, true), (room + 1, false)] {
                let size = sender.contentSize(of: payload(length), .start, activity: activity, following: Self.channel)
                #expect(size == 4_096 + length - room && (size <= sender.contentLimit(.devices)) == fits)
                let intent = Intent(
                    broadcast: .random(), activity: activity, event: .start,
                    content: payload(length).bytes(timestamp: 1_700_000_000), expiration: 1_900_000_000,
                    priority: .immediate, following: Self.channel)
                let push = sender.render(intent) as? PushTemplate
                #expect((push != nil) == fits)
                guard let push else { continue }
                let body = String(decoding: push.body, as: UTF8.self)
                #expect(push.body.count == 4_096 && push.destination == .pushToStartToken)
                #expect(
                    body.contains(#""input-push-channel":"\#(Self.channel)""#) && !body.contains("input-push-token"))
            }
            #expect(sender.contentLimit(.channel("c")) == 5_120)
            let update = Intent(
                broadcast: .random(), activity: activity, event: .start, content: [0x7B, 0x7D], expiration: 0,
                priority: .immediate, following: Self.channel)
            #expect(sender.render(update) == nil)
            await stage.close()
        }

        @Test("Nothing can carry a start to a channel, more than 5,120 bytes, or a channel that is no text for a field")
        func unsendable() async throws {
            let stage = try Stage()
            #expect(try rendered(stage, intent(.start, bytes: 1)) == nil)
            #expect(try rendered(stage, intent(.end, bytes: 5_121)) == nil)
            #expect(try rendered(stage, intent(.end, bytes: 0)) == nil)
            for channel in ["", "a b", "a\r\nb"] {
                #expect(try rendered(stage, intent(.update, bytes: 1, channel: channel)) == nil)
            }
            await stage.close()
        }

        @Test("A channel that there is not fails for good, and is nobody's token")
        func unknownChannel() async throws {
            let stage = try Stage()
            stage.provider.script = { _, _, _ in .status(400, body: #"{"reason":"ChannelNotRegistered"}"#) }
            let push = try #require(try rendered(stage, intent(.end, bytes: 9)))
            let recorder = OutcomeRecorder(stage.client, push, total: 1)
            await recorder.run()
            guard case .rejected(let rejection)? = recorder.outcomes[0]?.first else {
                Issue.record("\(recorder.outcomes)")
                return await stage.close()
            }
            #expect(rejection.reason == "ChannelNotRegistered" && rejection.status == 400)
            let meaning = rejection.classification
            #expect(meaning.verdict == .requestRefused && meaning.isAboutChannel && !meaning.isAboutAddress)
            #expect(await stage.client.snapshot().health == .healthy)
            await stage.close()
        }
    }
}
