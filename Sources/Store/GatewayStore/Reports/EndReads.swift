import LiveActivity
import Reactor
import RedisClient

/// Looks once for all syncs of a turn whether their activity has ended. The command is sent at the end of the turn, so
/// it stands behind the writes of all of them; in a cluster it is asked for only when they have been answered. Confined
/// to the reactor.
final class EndReads: TurnParticipant, @unchecked Sendable {
    /// A sync, and which of its looks this is.
    struct Waiting {
        let call: SyncCall
        let round: Int
    }

    private var asked: [KnownActivity] = []
    private var redis: RedisClient?

    /// `call` is told the broadcast that ended the activity, nil while there is none.
    func ask(_ activity: KnownActivity, on redis: RedisClient, for call: SyncCall, round: Int) {
        assert(redis.reactor.isOnReactor)
        if asked.isEmpty {
            self.redis = redis
            redis.reactor.atEndOfTurn(self)
        }
        if activity.waitingForEnd.isEmpty { asked.append(activity) }
        activity.waitingForEnd.append(Waiting(call: call, round: round))
    }

    func turnEnded() {
        let activities = asked
        asked = []
        for activity in activities {
            let waiting = activity.waitingForEnd
            activity.waitingForEnd = []
            redis?.send(activity.readEnd) { reply in
                let result: Result<UniqueID?, StoreError> =
                    switch reply {
                    case .success(let view): .success(view.isNull ? nil : UniqueID(view.string))
                    case .failure(let error): .failure(StoreError(error))
                    }
                for each in waiting { each.call.endCame(result, round: each.round) }
            }
        }
    }
}
