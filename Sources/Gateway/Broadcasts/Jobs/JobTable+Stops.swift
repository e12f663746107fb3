import Delivery
import GatewayStore
import LiveActivity

/// Broadcasts that are stopped, or superseded by newer ones, wherever that was recorded.
extension JobTable {
    /// Stops the runs of broadcasts that a newer one supersedes.
    func supersede(_ broadcasts: [UniqueID]) {
        for id in broadcasts {
            for run in Array(runs.values) where run.order.id == id { run.supersede() }
        }
    }

    /// Reads whether the broadcasts at work are to stop.
    func lookForStops(_ store: GatewayStore) {
        var broadcasts: [UniqueID: (activity: UniqueID, kinds: Set<RouteKind>)] = [:]
        for run in runs.values {
            broadcasts[run.order.id, default: (run.order.activity.id, [])].kinds.insert(
                run.ticket.part.routeKind)
        }
        for (id, (activity, kinds)) in broadcasts {
            store.jobs.readStop(of: id, in: activity, over: Array(kinds)) { [weak self] result in
                if let self, case .success(let stop) = result { apply(stop, to: id) }
            }
        }
    }

    private func apply(_ stop: BroadcastStop, to id: UniqueID) {
        for run in Array(runs.values) where run.order.id == id {
            if let reason = stop.stopReason(run.ticket.part.routeKind) { run.stop(reason) }
            if stop.isSuperseded { run.supersede() }
        }
    }
}
