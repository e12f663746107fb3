import GatewayStore
public import LiveActivity

/// Updates of activities that this gateway knows from their last updates. They are recorded without a read, and sent by
/// this gateway.
public struct RecentUpdates: Sendable {
    private let service: BroadcastService

    /// The updates of a service's activities.
    public init(_ service: BroadcastService) { self.service = service }

    /// The tenant of an activity whose next update may need no read here; nil for other activities.
    public func tenant(ofRecent activity: UniqueID) -> String? {
        service.jobs.recentActivities[activity]?.activity.tenantID
    }

    /// True if this gateway may carry an update out without a read of its activity.
    public func needsNoRead(_ request: BroadcastRequest) -> Bool { known(request) != nil }

    /// The activity of an update as this gateway knows it; nil if it must be read.
    private func known(_ request: BroadcastRequest) -> ActivityRecord? {
        guard case .update = request.command, request.isAwaited, !request.isRepetition, request.targets == nil,
            request.schedule == nil, !request.skipsUnchanged, let id = request.activityID,
            let record = service.jobs.recentActivities[id],
            // An update that finds no device is withdrawn, but its content has replaced that for late devices.
            !record.catchesUp, record.healing == nil
        else { return nil }
        return try? service.allowed(record, request)
    }

    /// Carries an update out; nil if its activity must be read.
    func carryOut(_ request: BroadcastRequest) async throws -> BroadcastResult? {
        guard needsNoRead(request) else { return nil }
        return try await service.jobs.onReactor { carryOutKnown(request, $0) }
    }

    /// Has a request recorded as `BroadcastService.carryOut` does. Without a task if nothing must be read. On the
    /// reactor.
    /// - Parameter completion: Called on the reactor or from a task.
    public func carryOut(
        _ request: BroadcastRequest, completion: @escaping @Sendable (Result<BroadcastResult, any Error>) -> Void
    ) {
        carryOutKnown(request) { result in
            switch result {
            case .success(let result?): completion(.success(result))
            case .failure(let error): completion(.failure(error))
            case .success(nil):
                Task {
                    do {
                        completion(.success(try await service.readAndCarryOut(request)))
                    } catch {
                        completion(.failure(error))
                    }
                }
            }
        }
    }

    /// Carries an update out without a read of its activity. Completes with nil if that must be read. On the reactor.
    private func carryOutKnown(
        _ request: BroadcastRequest, _ completion: @escaping @Sendable (Result<BroadcastResult?, any Error>) -> Void
    ) {
        guard let record = known(request) else { return completion(.success(nil)) }
        let (draft, place): (BroadcastDraft, WaitingBroadcasts.Hold)
        do {
            let audience = Audience(scope: .wholeSegment, count: record.devices)
            draft = service.draft(request, record, audience, try service.payload(request, record))
            place = try service.checkRoom(record)
        } catch {
            return completion(.failure(error))
        }
        guard draft.mayBeHeld(record) else { return completion(.success(nil)) }
        service.jobs.begin(draft, for: record, isChecked: false) { result in
            withExtendedLifetime(place) { completion(.success(service.result(of: result, record))) }
        }
    }
}
