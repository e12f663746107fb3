import Delivery
public import GatewayStore
import LiveActivity
public import TimeCore

// What is sent when a user, or a device, is forgotten: each Live Activity that is running is ended. That goes by the
// tokens in the activities, so a place is left when its end is over, and everything else at once.
extension BroadcastService {
    /// For how long an end is tried; after that the place is left all the same.
    private static let erasureEndLife = TimeInterval.seconds(600)
    /// How soon it is looked again for an end that was not over.
    private static let erasurePause = TimeInterval.seconds(1)
    /// How long the due queue's worker waits for ends.
    private static let erasurePatience = TimeInterval.milliseconds(500)

    /// Carries an erasure out, as far as it goes; what is left comes with the due queue.
    /// - Parameters:
    ///   - open: of the same user, from before: these are carried out first. Their closing looks keep their time.
    ///   - patience: how long it waits for the ends of Live Activities.
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

    /// - Parameter report: complete so far.
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

    /// The same for the due queue.
    func erase(_ erasure: Erasure) async throws(StoreError) {
        _ = try await erase(erasure, patience: BroadcastService.erasurePatience)
        store.erasures.checkForLostGateways(erasure.tenantID)
    }

    /// Has the Live Activities of a place ended. False when none runs there.
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
        // An activity that is over meanwhile has been ended by others.
        guard case .success(let order) = try await store.broadcasts.begin(draft, for: record) else { return false }
        jobs.begun(order)
        return true
    }
}
