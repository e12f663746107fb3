extension ActivityTracker {
    /// What an answer means for an activity.
    enum CallResult: Sendable, Equatable {
        /// It was done; a register with the id given.
        case done(id: String)
        /// It was not done, and may be tried again.
        case refusedForNow
        /// It was refused.
        case refused
        /// The gateway does not know the activity any more.
        case gone
        /// Nobody knows.
        case unknown
    }

    /// A call has been answered, or not. What the gateway may or may not have done is taken for lost.
    mutating func callEnded(_ step: Step, _ result: CallResult) {
        guard let activity = activities[step.activity] else { return }
        switch (step.kind, result) {
        case (.sync, _): syncEnded(step.activity, activity)
        case (.register, .done(let id)):
            change(step.activity) { $0.id = id }
            grown(step.activity, activity)
        case (.addUsers, .done): grown(step.activity, activity)
        case (.addUsers, .refusedForNow): move(step.activity, to: .growing)
        case (.start, .done): started(step.activity)
        case (.start, .refusedForNow): move(step.activity, to: .registered)
        case (.update, .gone):
            change(step.activity) { $0.updatesUnderWay -= 1 }
            drop(step.activity)
        case (.update, _):
            change(step.activity) { $0.updatesUnderWay -= 1 }
        case (.end, .refusedForNow): move(step.activity, to: .started)
        default: drop(step.activity)
        }
    }

    private mutating func grown(_ number: Int, _ activity: PlayedActivity) {
        let count = min(activity.registeredCount + options.chunk, activity.deviceCount)
        change(number) {
            $0.registeredCount = count
            $0.startedCount = count
        }
        move(number, to: count < activity.deviceCount ? .growing : .registered)
    }

    private mutating func started(_ number: Int) {
        guard let activity = activities[number], reports(activity) > 0 else { return move(number, to: .started) }
        move(number, to: .syncing)
        beginReporting(number)
    }

    private mutating func syncEnded(_ number: Int, _ activity: PlayedActivity) {
        change(number) { $0.syncsEnded += 1 }
        if activity.syncsEnded + 1 == reports(activity) { move(number, to: .started) }
    }
}
