import AsyncHTTPClient
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import NIOCore
import Testing
import TimeCore

@Suite("A gateway with broadcast capability", .serialized)
struct ChannelWiringTests {
    @Test("keeps channels of its app by itself, and tells of them in its metrics")
    func metrics() async throws {
        try await TestStage.run { stage in
            var options = stage.options
            var channels = ChannelOptions()
            channels.managementURL = stage.mock.channelsURL
            channels.period = .milliseconds(20)
            options.channels = channels
            let gateway = try await Gateway.start(options, logger: TestStage.silent)
            let end = MonotonicTime.now() + .seconds(30)
            var page = ""
            let pool = #"fanfare_channels{bundle="\#(stage.mock.bundleID)",environment="production",state="pool"} 2"#
            while !page.contains(pool) {
                try #require(MonotonicTime.now() < end, "\(page)")
                page =
                    try await stage.http.get(url: "http://127.0.0.1:\(gateway.port)/metrics").get().body
                    .map { String(buffer: $0) } ?? ""
            }
            let labels = #"bundle="\#(stage.mock.bundleID)",environment="production""#
            #expect(page.contains("fanfare_channels_left{\(labels)} 9998\n"))
            #expect(page.contains("fanfare_channel_supply{\(labels),state=\"ready\"} 1\n"))
            #expect(page.contains(#"call="create""#) && stage.mock.channels().count == 2)
            await gateway.stop()
        }
    }

    @Test("sends a channel's updates to the host of pushes to channels, and starts to that of all others")
    func hosts() async throws {
        try await TestStage.run { stage in
            // The directory of the first mock gives the second one the same team and key.
            var mockOptions = MockAPNs.Options(directory: "\(stage.directory)/apns")
            mockOptions.ledger = .full
            let broadcasts = try MockAPNs.start(mockOptions)
            defer { broadcasts.stop() }
            var options = stage.options
            var channels = ChannelOptions()
            channels.managementURL = broadcasts.channelsURL
            channels.broadcastURL = broadcasts.url
            channels.period = .milliseconds(20)
            options.channels = channels
            let gateway = try await Gateway.start(options, logger: TestStage.silent)
            try await stage.addDevices(3)
            // This gateway would also take jobs, and has no channels.
            await stage.gateways[0].stop()
            let body = """
                {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(0..<3))],
                 "ends_at":"\(TestStage.endsAt())","options":{"channel":"required"}}
                """
            let registered = try await stage.call("register", body, port: gateway.port)
            let id = try #require(registered["activity_id"]?.string, "\(registered.text)")
            let start = try await stage.call("start", TestStage.body(id), port: gateway.port)
            #expect(start.accepted == 3, "\(start.text)")
            #expect(stage.pushes(.start).count == 3)
            let update = try await stage.call("update", TestStage.body(id), port: gateway.port)
            #expect(update.status == 200, "\(update.text)")
            let published = broadcasts.channels().keys.filter { broadcasts.publishes(to: $0).count == 1 }
            #expect(published.count == 1 && stage.pushes(.update).isEmpty, "\(update.text)")
            await gateway.stop()
        }
    }
}
