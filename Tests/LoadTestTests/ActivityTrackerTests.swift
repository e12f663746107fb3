import Testing

@testable import LoadTest

@Suite("The activities of a load test")
struct ActivityTrackerTests {
    private func options(
        devices: Int = 1000, segment: Int = 10, most: Int = 5, chunk: Int = 10_000, syncShare: Double = 0
    ) -> ActivityTracker.Options {
        var options = ActivityTracker.Options(population: Population(seed: 1, first: 0, count: devices))
        options.segmentSize = segment
        options.maximumActivities = most
        options.chunk = chunk
        options.syncShare = syncShare
        return options
    }

    @Test("A call that is not possible is replaced by the one before it in an activity's life")
    func replaced() throws {
        var generator = SplitMix64(seed: 1)
        var tracker = ActivityTracker(options(segment: 25, chunk: 10))
        for (wanted, made) in [
            (CallKind.update, CallKind.register), (.end, .addUsers), (.start, .addUsers), (.update, .start),
            (.update, .update), (.end, .end),
        ] {
            let step = try #require(tracker.step(wanted: wanted, using: &generator))
            #expect(step == ActivityTracker.Step(kind: made, activity: 0))
            tracker.callEnded(step, .done(id: "A"))
        }
        #expect(tracker.liveCount == 0)
        #expect(tracker.replaced == 4)
    }

    @Test("A segment beyond what one call takes is registered whole, no device twice, also around the end")
    func growing() throws {
        var generator = SplitMix64(seed: 8)
        var tracker = ActivityTracker(options(devices: 30, segment: 30, chunk: 7))
        var devices: [Int] = []
        while let step = tracker.step(wanted: .start, using: &generator), step.kind != .start {
            let part = tracker.devicesToRegister(step.activity)
            #expect(part.count <= 7 && !part.isEmpty)
            devices += part
            tracker.callEnded(step, .done(id: "A"))
        }
        #expect(devices.count == 30 && Set(devices) == Set(0..<30))
    }

    @Test("After a start its devices report, each once, and only then it is updated")
    func reporting() throws {
        var generator = SplitMix64(seed: 8)
        var tracker = ActivityTracker(options(segment: 10, most: 1, syncShare: 0.5))
        for _ in 0..<2 {
            let step = try #require(tracker.step(wanted: .start, using: &generator))
            tracker.callEnded(step, .done(id: "A"))
        }
        #expect(tracker.isReporting)
        var devices: [Int] = []
        while let (activity, device) = tracker.nextReport() {
            #expect(tracker.step(wanted: .update, using: &generator) == nil)
            devices.append(device)
            tracker.callEnded(ActivityTracker.Step(kind: .sync, activity: activity), .done(id: ""))
        }
        #expect(Set(devices).count == 5)
        let activity = try #require(tracker.activities[0])
        #expect(devices == (0..<5).map { tracker.device(activity, $0) })
        #expect(tracker.step(wanted: .update, using: &generator)?.kind == .update)
        #expect(!tracker.isReporting)
    }

    @Test("Only the devices that were started report")
    func narrowed() throws {
        var generator = SplitMix64(seed: 8)
        var tracker = ActivityTracker(options(segment: 10, most: 1, syncShare: 1))
        let register = try #require(tracker.step(wanted: .start, using: &generator))
        tracker.callEnded(register, .done(id: "A"))
        let start = try #require(tracker.step(wanted: .start, using: &generator))
        tracker.startNarrowed(start.activity, offset: 3, count: 2)
        tracker.callEnded(start, .done(id: ""))
        let activity = try #require(tracker.activities[start.activity])
        #expect(tracker.nextReport()?.device == tracker.device(activity, 3))
        #expect(tracker.nextReport()?.device == tracker.device(activity, 4))
        #expect(tracker.nextReport() == nil)
    }

    @Test("What an answer leaves undone may be tried again; what is refused, gone or unknown is dropped")
    func answers() throws {
        func state(_ kinds: [CallKind], _ result: ActivityTracker.CallResult) throws -> PlayedActivity.State? {
            var generator = SplitMix64(seed: 2)
            var tracker = ActivityTracker(options())
            for kind in kinds.dropLast() {
                tracker.callEnded(try #require(tracker.step(wanted: kind, using: &generator)), .done(id: "A"))
            }
            let last = try #require(tracker.step(wanted: kinds[kinds.count - 1], using: &generator))
            #expect(last.kind == kinds[kinds.count - 1])
            tracker.callEnded(last, result)
            return tracker.activities[0]?.state
        }
        #expect(try state([.register], .refusedForNow) == nil)
        #expect(try state([.register, .start], .refusedForNow) == .registered)
        #expect(try state([.register, .start], .refused) == nil)
        #expect(try state([.register, .start], .unknown) == nil)
        #expect(try state([.register, .start, .update], .refused) == .started)
        #expect(try state([.register, .start, .update], .unknown) == .started)
        #expect(try state([.register, .start, .update], .gone) == nil)
        #expect(try state([.register, .start, .end], .refusedForNow) == .started)
        #expect(try state([.register, .start, .end], .unknown) == nil)
    }

    @Test("Random walks keep the invariants", arguments: 0..<20)
    func walk(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let most = Int.random(in: 1...6, using: &generator)
        var tracker = ActivityTracker(
            options(devices: 50, segment: 20, most: most, chunk: 8, syncShare: seed.isMultiple(of: 2) ? 0.4 : 0))
        // The calls under way of each activity, as the walk counts them.
        var underWay: [Int: [CallKind]] = [:]
        let kinds: [CallKind] = [.register, .start, .update, .end]
        let results: [ActivityTracker.CallResult] = [
            .done(id: "A"), .done(id: "A"), .done(id: "A"), .refusedForNow, .refused, .gone, .unknown,
        ]
        var made: Set<CallKind> = []
        for turn in 0..<3000 {
            let place = "seed \(seed), turn \(turn)"
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                let wanted = kinds.randomElement(using: &generator) ?? .update
                guard let step = tracker.step(wanted: wanted, using: &generator) else { continue }
                let others = underWay[step.activity] ?? []
                if step.kind == .update {
                    #expect(others.allSatisfy { $0 == .update }, "\(place): \(step) beside \(others)")
                } else {
                    #expect(others.isEmpty, "\(place): \(step) beside \(others)")
                }
                underWay[step.activity, default: []].append(step.kind)
                made.insert(step.kind)
            case 2:
                guard let (activity, device) = tracker.nextReport() else { continue }
                #expect((0..<50).contains(device))
                #expect(underWay[activity]?.allSatisfy { $0 == .sync } ?? true, "\(place)")
                underWay[activity, default: []].append(.sync)
                made.insert(.sync)
            default:
                guard let activity = underWay.keys.sorted().randomElement(using: &generator),
                    let index = underWay[activity]?.indices.randomElement(using: &generator),
                    let kind = underWay[activity]?.remove(at: index)
                else { continue }
                if underWay[activity]?.isEmpty == true { underWay[activity] = nil }
                let result = results.randomElement(using: &generator) ?? .unknown
                tracker.callEnded(ActivityTracker.Step(kind: kind, activity: activity), result)
            }
            #expect(tracker.liveCount <= most, "\(place)")
            for (number, activity) in tracker.activities {
                let updates = underWay[number]?.count { $0 == .update } ?? 0
                #expect(activity.updatesUnderWay == updates, "\(place)")
            }
        }
        #expect(made.isSuperset(of: [.register, .addUsers, .start, .update, .end]), "seed \(seed)")
    }
}
