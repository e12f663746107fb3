import Reactor
import TimeCore

// Commands that wait for a node, or for a pause to be over.
extension ClusterRouter {
    func park(_ call: RoutedCall) {
        guard !isShutDown else {
            return call.fail(.unavailable("the client has been shut down", mayHaveBeenExecuted: false))
        }
        if !call.isDelayed {
            call.isDelayed = true
            counts.change { $0.delays += 1 }
        }
        parked.append(call)
        scheduleWake(min(call.deadline, call.notBefore ?? call.deadline))
    }

    /// Something has changed by which parked commands may be sent now.
    func requestRelease() {
        guard !isReleaseDue, !isShutDown else { return }
        isReleaseDue = true
        reactor.atEndOfTurn(self)
    }

    /// Sends the parked commands for which there is a node, in their order; ends those whose deadline has passed.
    func release() {
        guard !isShutDown else { return }
        let now = MonotonicTime.now()
        var calls = parked + recalled()
        parked = []
        if !calls.indices.dropFirst().allSatisfy({ calls[$0 - 1].number < calls[$0].number }) {
            calls.sort { $0.number < $1.number }
        }
        // Commands that are given meanwhile are parked behind these.
        isReleaseDue = true
        let newest = lastNumber
        var stuck: [RoutedCall] = []
        for call in calls where !call.isDone {
            if call.deadline <= now {
                call.fail(.timedOut(mayHaveBeenExecuted: false))
            } else if let time = call.notBefore, time > now {
                stuck.append(call)
            } else {
                call.notBefore = nil
                dispatch(call)
            }
        }
        isReleaseDue = false
        parked += stuck
        if lastNumber > newest { requestRelease() }
        wakeAt = MonotonicTime(nanoseconds: .max)
        var next: MonotonicTime?
        for call in parked {
            let time = min(call.deadline, call.notBefore ?? call.deadline)
            next = min(next ?? time, time)
        }
        if let next { scheduleWake(next) }
    }

    /// Takes back calls that wait for connections being opened. Another node may have their slots by now.
    private func recalled() -> [RoutedCall] {
        var calls: [RoutedCall] = []
        for (node, _) in nodes.values where !node.isReady {
            while let waiting = node.waiting.popFirst() {
                // A command that is sent again gets a new ASKING.
                if case .routed(let call) = waiting.sink, call.takeBack() { calls.append(call) }
            }
        }
        return calls
    }

    func failParked(_ error: RedisError) {
        let calls = parked
        parked = []
        for call in calls { call.fail(error) }
    }

    /// One timer for all, and not more often than this: with many commands each time costs.
    private static let granularity = TimeInterval.milliseconds(5)

    private func scheduleWake(_ time: MonotonicTime) {
        let time = max(time, reactor.now + ClusterRouter.granularity)
        guard time < wakeAt else { return }
        if let wakeTimer { reactor.cancel(wakeTimer) }
        wakeAt = time
        wakeTimer = reactor.schedule(at: time) { [weak self] in
            guard let self else { return }
            wakeTimer = nil
            wakeAt = MonotonicTime(nanoseconds: .max)
            release()
        }
    }
}
