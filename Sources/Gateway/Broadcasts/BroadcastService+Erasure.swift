import Delivery
public import GatewayStore
import LiveActivity
public import TimeCore

// Erasures end each running Live Activity of a user or device. The ends use the tokens in the activities. So a place is
// removed after its end is over, and everything else at once.
extension BroadcastService {
    /// The time for which an end is tried. Then the place is removed anyway.
    private static let erasureEndLife = TimeInterval.seconds(600)
    /// The pause before an unfinished end is checked again.
    private static let erasurePause = TimeInterval.seconds(1)
    /// The time that the due queue's worker waits for ends.
    private static let erasurePatience = TimeInterval.milliseconds(500)

    /// Carries an erasure out as far as possible. The due queue continues with the rest.
    /// - Parameters:
    ///   - open: Earlier erasures of the same user, which run first. Their closing checks stay scheduled.
    ///   - patience: The time to wait for the ends of Live Activities.
    public func erase(
        _ erasure: Erasure, after open: [Erasure] = [], patience: TimeInterval
    ) async throws(StoreError) -> ErasureReport {
        var report = ErasureReport()
        let deadline = MonotonicTime.now() + patience
        var areOpen = false
        for other in open {
            guard let places = try await store.erasures.places(other) else { continue }
            try await carryOut(other, places, deadline, &report)
            areOpen = areOpen || !report.isComplete
            report.isComplete = true
        }
        if let places = try await store.erasures.places(erasure) {
            try await carryOut(erasure, places, deadline, &report)
        } else {
            try await store.erasures.look(erasure)
            try await store.erasures.close(erasure)
        }
        if areOpen { report.isComplete = false }
        return report
    }

    /// - Parameter report: The report so far, marked as complete.
    private func carryOut(
        _ erasure: Erasure, _ places: [StoredErasures.Place], _ deadline: MonotonicTime, _ report: inout ErasureReport
    ) async throws(StoreError) {
        var ending: [StoredErasures.Place] = []
        for place in places {
            if try await end(place, erasure) {
                ending.append(place)
            } else {
                try await store.erasures.leave(place, erasure, &report)
            }
        }
        try await store.erasures.forgetRest(erasure, &report)
        for place in ending {
            let activity = place.record.activity.id
            let left = max(.zero, deadline - MonotonicTime.now())
            let record = await wait(for: erasure.broadcastID(in: activity), in: activity, timeout: left)
            let isOver = record?.state.isFinal ?? false
            guard isOver || store.erasures.isOlder(erasure, than: BroadcastService.erasureEndLife) else {
                report.isComplete = false
                continue
            }
            report.ended += record?.counts.accepted ?? 0
            try await store.erasures.leave(place, erasure, &report)
        }
        if report.isComplete {
            try await store.erasures.conclude(erasure)
        } else {
            try await store.erasures.postpone(erasure, by: BroadcastService.erasurePause)
        }
    }

    /// Carries an erasure out for the due queue.
    func erase(_ erasure: Erasure) async throws(StoreError) {
        _ = try await erase(erasure, patience: BroadcastService.erasurePatience)
        store.erasures.checkForLostGateways(erasure.tenantID)
    }

    /// Ends the Live Activities of a place. False if none is running.
    private func end(_ place: StoredErasures.Place, _ erasure: Erasure) async throws(StoreError) -> Bool {
        let record = place.record
        guard record.activity.state == .started, place.isOwn || !place.synced.isEmpty else { return false }
        let now = store.wallClock()
        var draft = BroadcastDraft(
            id: erasure.broadcastID(in: record.activity.id), kind: .end,
            scope: place.isOwn ? .wholeSegment : .slots(place.synced),
            payload: .end(content: nil, options: PresentationOptions(dismissalDate: now.seconds)), priority: 10,
            expiration: (now + BroadcastService.erasureEndLife).seconds)
        draft.endReason = .endedByAPI
        draft.origin.source = EventSource(ofEndOf: record.activity)
        // An activity that is over by now has been ended elsewhere.
        guard case .success(let order) = try await store.broadcasts.begin(draft, for: record) else { return false }
        jobs.begun(order)
        return true
    }
}
