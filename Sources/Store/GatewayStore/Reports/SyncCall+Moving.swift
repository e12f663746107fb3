import Delivery
import LiveActivity
import Reactor
import RedisClient

// A device that has changed its environment, and whose slot is in the band of the former one.
extension SyncCall {
    /// The kind of route to whose band the device has to move before the sync counts; nil for nearly all.
    /// - Parameter outcome: what `Scripts.putUpdateCell` replied.
    func kindToMoveTo(_ outcome: Int64, _ slot: UInt32) -> RouteKind? {
        guard let changedKind, !hasMoved else { return nil }
        switch outcome {
        // The device was cut off on its way.
        case -1: return changedKind
        case 0, 1, 3: return RosterGeometry.kind(ofSlot: slot).single == changedKind ? nil : changedKind
        // The Live Activity is over: it keeps its place.
        default: return nil
        }
    }

    /// Finds an update that is under way to all and may have passed the new slot before its token was there. It was
    /// recorded while the device moved, or was known to a report that was cut off. At worst it comes twice.
    func lookForMissed(_ known: KnownActivity, _ slot: UInt32) {
        hasLookedForMissed = true
        let (reports, activity) = (reports, known.record.activity.id)
        // Confined to the reactor: it goes on there.
        nonisolated(unsafe) let (call, known) = (self, known)
        Task {
            let result: Result<MissedUpdate?, StoreError>
            do throws(StoreError) {
                result = .success(try await reports.moves.coming(to: slot, in: activity).update)
            } catch {
                result = .failure(error)
            }
            let isTaken = reports.redis.reactor.execute {
                switch result {
                case .success(let update):
                    if let update, update.order > call.missed?.order ?? -1 { call.missed = update }
                    call.conclude(known, slot)
                case .failure(let error): call.finish(.failed(error))
                }
            }
            if !isTaken { call.finish(.failed(.unavailable("the reactor has stopped"))) }
        }
    }

    /// Moves it, and notes the sync in its new slot.
    func move(to kind: RouteKind, _ known: KnownActivity) {
        hasMoved = true
        if written?.outcome == 3 { endedBefore = .userDismissed }
        let (reports, device, activity) = (reports, device, known.record.activity)
        // Confined to the reactor: it goes on there.
        nonisolated(unsafe) let (call, known) = (self, known)
        Task {
            let result: Result<EnvironmentMoves.Move?, StoreError>
            do throws(StoreError) {
                result = .success(try await reports.moves.move(device, to: kind, in: activity))
            } catch {
                result = .failure(error)
            }
            let isTaken = reports.redis.reactor.execute {
                switch result {
                case .success(let move?):
                    call.missed = move.missed
                    call.writeAgain(known, move.slot)
                case .success(nil): call.finish(.other(.notFound))
                case .failure(let error): call.finish(.failed(error))
                }
            }
            if !isTaken { call.finish(.failed(.unavailable("the reactor has stopped"))) }
        }
    }
}
