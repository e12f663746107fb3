import NIOCore
import Testing
import TimeCore

@testable import LoadTest

/// Drives the player alone with answers and times.
@Suite("What phones do on a match day")
struct MatchPlayerTests {
    private struct Stage {
        var player: MatchPlayer
        let day: MatchDay
        var now = MonotonicTime(nanoseconds: 1_000_000_000_000)

        init(_ change: (inout TopicLoad) -> Void = { _ in }) throws {
            var load = TopicLoad()
            load.target.devices = 4
            load.earlyShare = 1
            load.unfollowShare = 0
            load.dismissShare = 0
            load.goals = 0
            load.reportWithin = .seconds(5)
            change(&load)
            let url = try GatewayURL("http://127.0.0.1:8080")
            let keys = try TopicKeys(
                api: CallKey("a", name: "a"), device: DeviceCredential(sdkKey: "s", nil, load.target))
            day = MatchDay(load)
            let requests = (0..<load.topics).map { TopicRequests(load, topic: $0, url: url, keys: keys) }
            player = MatchPlayer(load, day, requests: requests, url: url, keys: keys)
        }

        static func ok(_ body: String = "{}") -> CallOutcome { .answered(status: 200, body: Array(body.utf8)) }

        static func reading(isOver: Bool) -> CallOutcome {
            ok(
                """
                {"state":"live","activity_id":"an-id","live_since":"2026-01-01T00:00:00Z","counts":{"pending":4,"ended_by":{}},\
                "broadcasts":[{"kind":"update","created_at":"2026-01-01T00:00:03Z"},{"kind":"start","total":4,"accepted":3,\
                "created_at":"2026-01-01T00:00:01Z"\(isOver ? ",\"finished_at\":\"2026-01-01T00:00:02.500Z\"" : "")}]}
                """)
        }

        /// Makes due calls with success until one is of this kind. Returns that call.
        mutating func call(_ kind: CallKind) throws -> (PlayedCall, String) {
            while true {
                var buffer = ByteBuffer()
                guard let call = player.nextCall(to: &buffer) else { throw LoadTestError("nothing more is due") }
                if call.kind == kind { return (call, String(buffer: buffer)) }
                player.callEnded(call, Stage.ok(), at: now)
            }
        }

        /// Returns the next follow-up call. Advances the clock until it is due.
        mutating func followUp() throws -> (PlayedCall, String) {
            for _ in 0..<1_000 {
                var buffer = ByteBuffer()
                if let call = player.nextFollowUp(to: &buffer, at: now) { return (call, String(buffer: buffer)) }
                now = now + .milliseconds(100)
            }
            throw LoadTestError("nothing follows")
        }

        mutating func end(_ call: PlayedCall, _ outcome: CallOutcome) { player.callEnded(call, outcome, at: now) }

        /// Goes live, and completes the start for all followers.
        mutating func goLive() throws {
            let (kickOff, _) = try call(.putTopic)
            end(kickOff, Stage.ok())
            let (reading, _) = try followUp()
            end(reading, Stage.reading(isOver: true))
        }
    }

    @Test("Phones that followed before report after the start is over, each once, for the type of their topic")
    func reports() throws {
        var stage = try Stage()
        let (kickOff, request) = try stage.call(.putTopic)
        #expect(
            request.hasPrefix("PUT /api/v1/topics/load-1 HTTP/1.1\r\n")
                && request.contains(#""state":"live","sequence":1"#))
        stage.end(kickOff, Stage.ok())
        for isOver in [false, true] {
            let (reading, request) = try stage.followUp()
            #expect(reading.kind == .getTopic && request.hasPrefix("GET /api/v1/topics/load-1 HTTP/1.1\r\n"))
            stage.end(reading, Stage.reading(isOver: isOver))
        }
        var devices: Set<Int> = []
        while stage.player.hasFollowUps {
            let (call, request) = try stage.followUp()
            #expect(
                call.kind == .sync && request.contains(#"{"activity_type":"LoadTestAttributes","insider_id":"load-1-0"#)
            )
            devices.insert(call.subject)
            stage.end(call, Stage.ok())
        }
        #expect(devices == [0, 1, 2, 3])
        #expect(stage.player.openings == [.init(devices: 4, accepted: 3, seconds: 2.5)])
    }

    @Test("A report that comes before its start is made again, later each time; of one that has unfollowed no more")
    func tooEarly() throws {
        var stage = try Stage {
            $0.target.devices = 1
            $0.unfollowShare = 1
        }
        try stage.goLive()
        var waits: [Double] = []
        for status in [404, 409, 404, 404, 404, 404] {
            let begin = stage.now
            let (call, _) = try stage.followUp()
            waits.append((stage.now - begin).inSeconds)
            let refusal = CallOutcome.answered(status: status, body: [])
            #expect(stage.player.isTooEarly(call, refusal))
            #expect(!stage.player.isTooEarly(call, .answered(status: 429, body: [])))
            stage.end(call, refusal)
        }
        #expect(waits.dropFirst() == [0.5, 1, 2, 4, 5])
        let (unfollow, request) = try stage.call(.unfollow)
        #expect(request.hasPrefix("DELETE /api/v1/sdk/topics/load-1/follow HTTP/1.1\r\n"))
        stage.end(unfollow, Stage.ok())
        let (call, _) = try stage.followUp()
        stage.end(call, .answered(status: 404, body: []))
        #expect(!stage.player.hasFollowUps && stage.player.unreported == 1)
    }

    @Test("A phone that has reported dismisses the activity that the reading named")
    func dismissal() throws {
        var stage = try Stage {
            $0.target.devices = 1
            $0.dismissShare = 1
        }
        try stage.goLive()
        let (sync, _) = try stage.followUp()
        stage.end(sync, Stage.ok())
        let (dismissal, request) = try stage.followUp()
        #expect(dismissal.kind == .dismissed && request.contains(#"{"activity_id":"an-id","insider_id":"load-1-0"#))
    }

    @Test("Kick-off and full time are told again while they are lost or refused for now; a goal is not")
    func lostWords() throws {
        var stage = try Stage { $0.goals = 1 }
        let (kickOff, _) = try stage.call(.putTopic)
        stage.end(kickOff, .timedOut)
        let (again, _) = try stage.followUp()
        #expect(again == kickOff)
        stage.end(again, .answered(status: 503, body: []))
        let (third, _) = try stage.followUp()
        stage.end(third, Stage.ok())
        let (reading, _) = try stage.followUp()
        stage.end(reading, Stage.reading(isOver: true))
        let (goal, request) = try stage.call(.putTopic)
        #expect(request.contains(#""sequence":2"#))
        while stage.player.hasFollowUps { stage.end(try stage.followUp().0, Stage.ok()) }
        stage.end(goal, .timedOut)
        #expect(!stage.player.hasFollowUps)
        let (fullTime, last) = try stage.call(.putTopic)
        #expect(last.contains(#""state":"ended","sequence":3"#))
        for _ in 0..<10 {
            stage.end(fullTime, .answered(status: 429, body: []))
            #expect(try stage.followUp().0 == fullTime)
        }
        stage.end(fullTime, .answered(status: 429, body: []))
        #expect(!stage.player.hasFollowUps)
    }

    @Test("At full time nothing follows any more, and who has not reported is counted")
    func fullTime() throws {
        var stage = try Stage()
        try stage.goLive()
        let (fullTime, _) = try stage.call(.putTopic)
        stage.end(fullTime, Stage.ok())
        #expect(!stage.player.hasFollowUps && stage.player.unreported == 4)
    }

    @Test("Topics have come to rest when they have ended, nothing is under way, and two readings say the same")
    func settling() {
        var player = SettlingPlayer([[1], [2]])
        var buffer = ByteBuffer()
        func reading(_ state: String, _ count: Int, _ isOver: Bool) -> CallOutcome {
            Stage.ok(
                """
                {"state":"\(state)","counts":{"ended":\(count)},"broadcasts":[{"kind":"end"\
                \(isOver ? ",\"finished_at\":\"2026-01-01T00:00:02Z\"" : "")}]}
                """)
        }
        func tell(_ topic: Int, _ outcome: CallOutcome) {
            let now = MonotonicTime(nanoseconds: 1)
            player.callEnded(PlayedCall(kind: .getTopic, subject: topic), outcome, at: now)
        }
        for same in [reading("live", 1, true), reading("ended", 1, false)] {
            for _ in 0..<2 { tell(0, same) }
            #expect(player.unsettled == 2)
        }
        tell(0, reading("ended", 2, true))
        tell(0, .timedOut)
        #expect(player.unsettled == 2)
        tell(0, reading("ended", 2, true))
        #expect(player.unsettled == 1 && !player.isFinished)
        #expect(player.nextCall(to: &buffer)?.subject == 1 && player.nextCall(to: &buffer)?.subject == 1)
        for _ in 0..<2 { tell(1, reading("ended", 5, true)) }
        #expect(player.isFinished && player.readings.compactMap { $0?.states["ended"] } == [2, 5])
    }
}
