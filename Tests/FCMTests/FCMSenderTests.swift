import Delivery
import FCM
import FCMCore
import LiveActivity
import PushClient
import TestProvider
import Testing
import TimeCore

@Suite("Sending through FCM", .serialized) struct FCMSenderTests {
    @Test(
        "A message goes to the project's path with the access token, and the registration token stands in its body as it was given"
    )
    func onTheWire() async throws {
        try await FCMStage.run(FCMStage()) { stage in
            let gateway = try FCMGateway(stage)
            for (event, count) in [(PushEvent.start, 1), (.update, 2), (.end, 3)] {
                let pushes = try gateway.push(1, event)
                #expect(await pushes.ended(1) && pushes.accepted == 1, "\(pushes.outcomes)")
                let entry = try #require(stage.messages.last)
                #expect(stage.messages.count == count)
                #expect(entry.headers[":method"] == "POST" && entry.path == "/v1/projects/project-1/messages:send")
                #expect(entry.authorization == "Bearer ya29.token-1")
                #expect(entry.headers["content-type"] == "application/json")
                #expect(entry.headers["content-length"] == String(entry.bodyLength))
                let root = try JSONDocument(parsing: entry.body).root
                let message = try #require(try root.member("message"))
                #expect(try message.member("token")?.string == "device\"0:APA91b\\")
                #expect(try message.member("data")?.member("live_activity_event")?.string == event.rawValue)
                #expect(try message.member("data")?.member("content_state")?.string == #"{"goals":2}"#)
            }
            await gateway.close()
        }
    }

    @Test("It never sends more than it was permitted, and whoever waits is told when permits come")
    func permits() async throws {
        try await FCMStage.run(FCMStage()) { stage in
            let gateway = try FCMGateway(stage, quota: TestQuota(left: 7))
            let pushes = try gateway.push(40)
            #expect(await pushes.ended(7))
            #expect(await gateway.onReactor { gateway.sender.room } == 0)
            #expect(stage.messages.count == 7)
            gateway.quota.add(20)
            #expect(await pushes.ended(27))
            #expect(stage.messages.count == 27 && pushes.timesTold >= 2)
            gateway.quota.add(1_000)
            #expect(await pushes.ended(40))
            #expect(stage.messages.count == 40 && pushes.accepted == 40)
            // The sender requests one permit for each message.
            #expect(gateway.quota.given == 40)
            await gateway.close()
        }
    }

    @Test("Another service account of the project takes the first one's place; one of another project does not")
    func replacedAccount() async throws {
        try await FCMStage.run(FCMStage()) { stage in
            let gateway = try FCMGateway(stage)
            let pushes = try gateway.push(10)
            #expect(await pushes.ended(10) && pushes.accepted == 10)
            var options = stage.options
            options.serviceAccountFile += ".second"
            func write(project: String) throws {
                try FCMStage.writeAccount(
                    to: options.serviceAccountFile, port: stage.provider.port, email: "second@project-1.example",
                    project: project)
            }
            try write(project: "project-2")
            #expect(throws: PushConfigurationError.self) { try gateway.sender.replaceCredential(options) }
            try write(project: FCMStage.project)
            try gateway.sender.replaceCredential(options)
            let more = try gateway.push(10)
            #expect(await more.ended(10) && more.accepted == 10)
            let authorizations = stage.messages.map(\.authorization)
            #expect(Set(authorizations[..<10]) == ["Bearer ya29.token-1"])
            #expect(Set(authorizations[10...]) == ["Bearer ya29.token-2"])
            #expect(stage.tokenRequests.count == 2)
            await gateway.close()
        }
    }

    @Test("It asks for a slice at a time, and for nothing while it has nothing to send")
    func slices() async throws {
        try await FCMStage.run(FCMStage()) { stage in
            let gateway = try FCMGateway(stage, change: { $0.messages.messagesPerMinute = 60_000 })
            let pushes = try gateway.push(1_000)
            #expect(await pushes.ended(1_000))
            #expect(pushes.accepted == 1_000 && gateway.quota.given == 1_000)
            #expect(gateway.quota.asked.allSatisfy { $0 <= 50 } && gateway.quota.asked.count < 300)
            let asked = gateway.quota.asked.count
            _ = await gateway.onReactor { gateway.sender.workCame() }
            _ = await gateway.onReactor { () }
            #expect(gateway.quota.asked.count == asked)
            await gateway.close()
        }
    }

    @Test("Without the place where the quota is kept nothing leaves, and all does when it is back")
    func away() async throws {
        try await FCMStage.run(FCMStage()) { stage in
            let gateway = try FCMGateway(stage)
            gateway.quota.setAway(true)
            let pushes = try gateway.push(10)
            #expect(await eventually { gateway.quota.asked.count >= 3 })
            #expect(stage.messages.isEmpty)
            gateway.quota.setAway(false)
            #expect(await pushes.ended(10) && pushes.accepted == 10)
            await gateway.close()
        }
    }

    @Test(
        "Of a quota that is used up all gateways hear, once, and of a device's own nobody",
        arguments: [
            (#"{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"errorCode":"QUOTA_EXCEEDED"}]}}"#, nil, 60),
            (#"{"error":{"status":"RESOURCE_EXHAUSTED"}}"#, 30, 30), ("", nil, 60),
            (#"{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"subject":"device"}]}]}}"#, 30, nil),
        ] as [(String, Int?, Int?)])
    func tooMany(body: String, retryAfter: Int?, wait: Int?) async throws {
        let answer = TestProvider.Answer.status(429, body: body, retryAfter: retryAfter)
        try await FCMStage.run(FCMStage(messages: { _ in answer })) { stage in
            let gateway = try FCMGateway(stage, quota: TestQuota(left: 5))
            let pushes = try gateway.push(5)
            #expect(await pushes.ended(5))
            #expect(pushes.reasons == ["QUOTA_EXCEEDED"])
            _ = await gateway.onReactor { () }
            #expect(gateway.quota.pauses == (wait.map { [.seconds($0)] } ?? []))
            gateway.quota.add(1_000)
            let later = try gateway.push(1)
            if wait != nil {
                _ = await gateway.onReactor { () }
                #expect(await gateway.onReactor { gateway.sender.room } == 0)
                #expect(stage.messages.count == 5)
            } else {
                #expect(await later.ended(1))
            }
            await gateway.close()
        }
    }

    @Test("What goes out a second time because its answer is doubted costs a permit too")
    func doubted() async throws {
        let refusal =
            #"{"error":{"status":"INVALID_ARGUMENT","message":"The registration token is not a valid FCM registration token"}}"#
        try await FCMStage.run(FCMStage(messages: { _ in .status(400, body: refusal) })) { stage in
            let gateway = try FCMGateway(stage, quota: TestQuota(left: 30))
            let pushes = try gateway.push(30)
            #expect(await pushes.ended(30))
            #expect(pushes.reasons == ["INVALID_REGISTRATION"])
            let sent = stage.messages.count
            #expect(sent >= 50)
            // The next permits pay for messages that left without one.
            gateway.quota.add(10)
            let later = try gateway.push(5)
            #expect(await eventually { gateway.quota.given == 40 })
            _ = await gateway.onReactor { () }
            #expect(stage.messages.count == sent)
            gateway.quota.add(1_000)
            #expect(await later.ended(5))
            #expect(gateway.quota.given >= stage.messages.count - 5)
            await gateway.close()
        }
    }

    @Test("Trouble of many answers asks all gateways to be slow")
    func trouble() async throws {
        try await FCMStage.run(
            FCMStage(messages: { $0 % 4 == 0 ? .status(503, body: "<html>", retryAfter: 1) : .status(200, body: "{}") })
        ) { stage in
            let gateway = try FCMGateway(stage)
            let pushes = try gateway.push(400)
            #expect(await pushes.ended(400))
            #expect(pushes.reasons.contains("UNAVAILABLE"))
            #expect((1...3).contains(gateway.quota.slowdowns), "\(gateway.quota.slowdowns)")
            await gateway.close()
        }
    }

    @Test("A channel and what is no payload are not rendered; content is counted as FCM does")
    func rendering() async throws {
        try await FCMStage.run(FCMStage()) { stage in
            let gateway = try FCMGateway(stage)
            let sender = gateway.sender
            let intent = FCMStage.intent()
            let channel = Intent(
                broadcast: intent.broadcast, activity: intent.activity, event: .update, content: intent.content,
                expiration: 0, priority: .immediate, destination: .channel("c"))
            #expect(sender.render(channel) == nil)
            let nothing = Intent(
                broadcast: intent.broadcast, activity: intent.activity, event: .update, content: Array("{}".utf8),
                expiration: 0, priority: .immediate)
            #expect(sender.render(nothing) == nil)
            let payload = try #require(Payload(intent.content))
            let size = sender.contentSize(of: payload, .update, activity: intent.activity, following: nil)
            #expect(size == FCMMessage.size(of: payload, .update, of: intent.activity) && size != payload.length)
            #expect(sender.contentLimit(.devices) == 4_096)
            #expect(
                sender.contentSize(
                    of: Payload(beforeTimestamp: [0x7B], afterTimestamp: []), .end, activity: intent.activity,
                    following: nil) == .max)
            #expect(sender.identity.account.name == "project-1:key-1")
            await gateway.close()
        }
    }

    @Test("A probe is a message that FCM checks and does not deliver; 400 and 404 are well, 403 is the credential")
    func probe() async throws {
        for (status, isGood) in [(400, true), (404, true), (403, false)] {
            let body = status == 403 ? #"{"error":{"status":"PERMISSION_DENIED"}}"# : ""
            try await FCMStage.run(FCMStage(messages: { _ in .status(status, body: body) })) { stage in
                let gateway = try FCMGateway(stage, quota: TestQuota(left: 0))
                let verdict = await gateway.sender.client.probeCredential(.fcm)
                #expect((verdict == .good) == isGood, "\(verdict)")
                let message = try #require(stage.messages.first)
                let root = try JSONDocument(parsing: message.body).root
                #expect(try root.member("validate_only")?.bool == true)
                #expect(try root.member("message")?.member("token")?.string == "nobody")
                await gateway.close()
            }
        }
    }
}
