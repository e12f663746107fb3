import LiveActivity
import Reactor
import RedisClient

/// Reads the ends of activities, once a turn for all syncs of an activity. The commands are sent at the end of the
/// turn, after the writes of these syncs. In a cluster, a sync requests the read only after the reply to its write.
/// Confined to the reactor.
final class EndReads: TurnParticipant, @unchecked Sendable {
    /// A sync and the round of its reads.
    struct Waiting {
        let call: SyncCall
        let round: Int
    }

    private var asked: [KnownActivity] = []
    private var redis: RedisClient?

    /// Passes `call` the broadcast that ended the activity, or nil if there is none.
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
