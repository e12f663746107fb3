extension ActivityTracker {
    /// The result of a call for its activity.
    enum CallResult: Sendable, Equatable {
        /// The call succeeded. The id is set for a register.
        case done(id: String)
        /// The call was rejected temporarily and may be retried.
        case refusedForNow
        /// The call was rejected.
        case refused
        /// The gateway does not know the activity.
        case gone
        /// No answer arrived, so the effect is unknown.
        case unknown
    }

    /// Applies the result of a call. Drops an activity that has ended, cannot continue or is in an unknown state.
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
