import Testing
import TimeCore

@testable import LoadTest

@Suite("Match days")
struct MatchDayTests {
    private func load(devices: Int = 1_000) -> TopicLoad {
        var load = TopicLoad()
        load.target.devices = devices
        load.target.firstDevice = 50
        load.apiKey = "a"
        load.sdkKey = "s"
        load.topics = 3
        load.earlyShare = 0.3
        load.unfollowShare = 0.2
        load.dismissShare = 0.1
        load.syncShare = 0.8
        return load
    }

    @Test("The same seed gives the same day, another one another day")
    func repeatable() {
        var load = load()
        let events = MatchDay(load).events
        #expect(MatchDay(load).events == events)
        load.target.seed = 2
        #expect(MatchDay(load).events != events)
    }

    @Test(
        "Every device follows once, as many before kick-off as are to; who unfollows does so while it follows a live topic"
    )
    func follows() {
        let load = load()
        let day = MatchDay(load)
        var follows: [Int: Double] = [:]
        var unfollows = 0
        var last = 0.0
        for due in day.events {
            let time = due.time.inSeconds
            #expect(time >= last)
            last = time
            switch due.event {
            case .follow(let device):
                #expect(follows[device] == nil && time <= 30)
                follows[device] = time
            case .unfollow(let device):
                unfollows += 1
                #expect(follows[device] != nil && time >= 10 && time <= 70)
            default: break
            }
        }
        #expect(follows.count == 1_000 && follows.keys.min() == 50 && follows.keys.max() == 1_049)
        #expect((250...350).contains(follows.values.count { $0 < 10 }))
        #expect((160...240).contains(unfollows))
        #expect((750...850).contains((50..<1_050).count { day.report(of: $0) != nil }))
        #expect((70...130).contains((50..<1_050).count { day.dismissal(of: $0) != nil }))
    }

    @Test("Each topic goes live, has its goals in order, and ends, at the times that were asked for")
    func topics() {
        let day = MatchDay(load())
        for topic in 0..<3 {
            let words = day.events.compactMap { due -> String? in
                switch due.event {
                case .kickOff(topic): "live \(due.time.inSeconds)"
                case .goal(topic, let number): "\(number) \(due.time.inSeconds)"
                case .fullTime(topic): "ended \(due.time.inSeconds)"
                default: nil
                }
            }
            #expect(words == ["live 10.0", "1 20.0", "2 30.0", "3 40.0", "4 50.0", "5 60.0", "ended 70.0"])
        }
        #expect((50..<56).map { day.topic(of: $0) } == [0, 1, 2, 0, 1, 2])
    }

    @Test("Its calls are due at the times of its events")
    func schedule() {
        let day = MatchDay(load(devices: 20))
        var schedule = day.schedule
        for due in day.events {
            #expect(schedule.next == due.time)
            schedule.advance()
        }
        #expect(schedule.next == nil)
    }

    @Test("However many topics there are, each is read every five seconds, and few as often as a key may")
    func readings() {
        var load = load()
        for (topics, seconds, rate) in [(1, 0.5, 2.0), (10, 2, 5), (1_000, 5, 200)] {
            load.topics = topics
            #expect(load.readingInterval.inSeconds == seconds, "\(topics)")
            var schedule = load.settlingReadings
            schedule.advance()
            #expect(abs((schedule.next?.inSeconds ?? 0) - 1 / rate) < 1e-6, "\(topics)")
        }
    }

    @Test("What follows comes when it is due, the earliest first, what was added first before others of its time")
    func followUps() {
        func at(_ milliseconds: UInt64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }
        var followUps = FollowUps()
        followUps.add(.report(device: 1), at: at(30))
        followUps.add(.reading(topic: 2), at: at(10))
        followUps.add(.dismissal(device: 3), at: at(10))
        followUps.add(.report(device: 4), at: at(40))
        #expect(followUps.next(at: at(9)) == nil)
        #expect(followUps.next(at: at(10)) == .reading(topic: 2))
        #expect(followUps.next(at: at(10)) == .dismissal(device: 3))
        #expect(followUps.next(at: at(29)) == nil && !followUps.isEmpty)
        #expect(followUps.drop() == 2 && followUps.isEmpty)
    }

    @Test("Arguments that make no sense are named")
    func arguments() throws {
        func refuses(_ name: String, _ change: (inout TopicLoad) -> Void) throws {
            var load = load()
            try load.check()
            change(&load)
            do throws(LoadTestError) {
                try load.check()
                Issue.record("\(name) is taken")
            } catch {
                #expect(error.description.contains(name), "\(name): \(error)")
            }
        }
        try refuses("--topics") { $0.topics = 0 }
        try refuses("--topics") { $0.topics = 1_001 }
        try refuses("--topic ") { $0.name = "a b" }
        try refuses("--early") { $0.earlyShare = 1.1 }
        try refuses("together") { $0.unfollowShare = 0.95 }
        try refuses("--storm") { $0.storm = .seconds(61) }
        try refuses("--length") { $0.length = .seconds(86_401) }
        try refuses("--goals") { $0.goals = -1 }
        try refuses("--connections") { $0.connections = 1 }
        try refuses("the API key") { $0.apiKey = "" }
        try refuses("--max-requests") { $0.target.maximumRequests = 1_900 }
    }
}
