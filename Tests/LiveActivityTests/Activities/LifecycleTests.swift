import LiveActivity
import Testing
import TimeCore

@Suite("The life of an activity")
struct LifecycleTests {
    private static let now = WallTime(seconds: 1_795_000_000)

    private static func activity(_ state: Activity.State) -> Activity {
        Activity(
            id: UniqueID(high: 1, low: 1), tenantID: "tenant", type: "Match", state: state, createdAt: now,
            endsAt: now + .seconds(3600))
    }

    @Test(
        "Every command in every state is allowed or refused as the contract says",
        arguments: [
            (ActivityCommand.addUsers, nil, ActivityRefusal.alreadyStarted, ActivityRefusal.notFound),
            (.removeUsers, nil, .alreadyStarted, .notFound), (.start, nil, .alreadyStarted, .notFound),
            (.update, .notStarted, nil, .notFound), (.end, nil, nil, .notFound),
            (.restart, .notStarted, nil, .notFound),
        ] as [(ActivityCommand, ActivityRefusal?, ActivityRefusal?, ActivityRefusal?)])
    func table(
        command: ActivityCommand, registered: ActivityRefusal?, started: ActivityRefusal?, dead: ActivityRefusal?
    ) {
        for (state, expected) in [(Activity.State.registered, registered), (.started, started), (.dead, dead)] {
            let refusal = Lifecycle.refusal(
                of: command, for: Self.activity(state), tenantID: "tenant", type: "Match", now: Self.now)
            #expect(refusal == expected, "\(command) in \(state)")
        }
    }

    @Test(
        "What is not there, another tenant's or over is not found; only then is the type looked at",
        arguments: ActivityCommand.allCases, [Activity.State.registered, .started])
    func order(command: ActivityCommand, state: Activity.State) {
        let activity = Self.activity(state)
        func refusal(_ activity: Activity?, _ tenant: String = "tenant", _ type: String = "Match", at time: WallTime)
            -> ActivityRefusal?
        {
            Lifecycle.refusal(of: command, for: activity, tenantID: tenant, type: type, now: time)
        }
        #expect(refusal(nil, at: Self.now) == .notFound)
        #expect(refusal(activity, "other", "Wrong", at: Self.now) == .notFound)
        #expect(refusal(activity, at: activity.endsAt) == .notFound)
        let justBefore = WallTime(milliseconds: activity.endsAt.milliseconds - 1)
        #expect(refusal(activity, at: justBefore) != .notFound)
        // The type comes before the state, and is compared with its case. Only a second start is one of any type.
        let isSecondStart = command == .start && state == .started
        #expect(
            refusal(activity, "tenant", "match", at: Self.now)
                == (isSecondStart ? .alreadyStarted : .typeMismatch(registered: "Match")))
        #expect(refusal(Self.activity(.dead), "tenant", "match", at: Self.now) == .notFound)
    }

    @Test(
        "ends_at is from five minutes to seven days ahead by a clock that differs by five seconds at most",
        arguments: [
            (-1, Lifecycle.EndsAtRefusal.inPast), (0, .inPast), (1, .tooSoon), (294_999, .tooSoon), (295_000, nil),
            (300_000, nil), (604_800_000, nil), (604_805_000, nil), (604_805_001, .tooFar),
            (Int64.max - 2_000_000_000_000, .tooFar),
        ] as [(Int64, Lifecycle.EndsAtRefusal?)])
    func endsAt(milliseconds: Int64, expected: Lifecycle.EndsAtRefusal?) {
        let end = WallTime(milliseconds: Self.now.milliseconds + milliseconds)
        #expect(Lifecycle.refusal(endsAt: end, now: Self.now) == expected)
    }

    @Test("Stored codes and the contract's names of end reasons stay what they are")
    func endReasons() {
        #expect(EndReason.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
        #expect(
            EndReason.allCases.map(\.name) == [
                "ended_by_api", "expired", "lifetime", "user_dismissed", "user_unfollow", "match_end", "token_invalid",
            ])
        #expect([Activity.State.registered, .started, .dead].map(\.rawValue) == [0, 1, 2])
    }
}
