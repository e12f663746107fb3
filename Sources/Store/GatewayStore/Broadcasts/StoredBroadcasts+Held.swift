import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// An update that was recorded with the wish to hold its job.
public struct HeldBeginning: Sendable {
    /// The recorded update.
    public let order: BroadcastOrder
    /// The update's only job; nil if the update has jobs like any other.
    public let job: JobTicket?
    /// The job's page as of the record of the update, or later; nil if it is to be read.
    public let page: PageOfDevices?
    /// The number of slots of the page; 0 if it is not known.
    public let pageLength: Int
}

extension BroadcastDraft {
    /// The most devices of an update whose job the recording gateway may hold.
    private static let mostHeld = 50

    /// True if the recording gateway may hold the update's job: one page of few devices, and a broadcast that no topic
    /// or schedule begins. The id must lead to the activity by itself.
    public func mayBeHeld(_ record: ActivityRecord) -> Bool {
        kind == .update && scope == .wholeSegment && topic == nil && schedule == nil && !skipsUnchanged
            && record.activity.state == .started && record.channels.isEmpty
            && (1...BroadcastDraft.mostHeld).contains(record.slots.count) && record.slots.pages.count == 1
            && Keys.pointer(to: record.activity.id, from: id) == nil
    }
}

// On the reactor.
extension StoredBroadcasts {
    /// True if the tenant's events are known to be off. Nil if the store must be asked.
    public func areEventsOff(_ tenantID: String) -> Bool? {
        switches[tenantID, MonotonicTime.now()].map { !$0.areOn }
    }

    /// Reads if the tenant's events are off.
    public func readEventsOff(_ tenantID: String, completion: @escaping (Result<Bool, StoreError>) -> Void) {
        let asked = MonotonicTime.now()
        redis.send(StoredEvents.readSwitches(tenantID)) { [switches] result in
            completion(
                result.map { view in
                    let read = StoredEvents.switches(view.copy().array ?? [])
                    switches.read(read, of: tenantID, asked: asked)
                    return !read.areOn
                }.mapError { StoreError($0) })
        }
    }

    /// Records an update of a tenant without events, see `BroadcastDraft.mayBeHeld`. The caller gets its job if no
    /// other broadcast of the activity is open and the update leaves at once.
    /// - Parameters:
    ///   - hold: The number and the name of the caller's hold.
    ///   - completion: Gets nil if the update must be recorded by `begin`, which has the reason. After a failure the
    ///     update may or may not be recorded.
    public func begin(
        _ draft: BroadcastDraft, for record: ActivityRecord, hold: (number: Int, id: String),
        completion: @escaping (Result<HeldBeginning?, StoreError>) -> Void
    ) {
        let values: BeginValues
        do throws(StoreError) {
            values = try BeginValues(
                draft, record.activity, recordsEvents: false,
                payload: kept(draft.payload, of: draft.id, tenantID: record.activity.tenantID), hold: hold.id, by: self)
        } catch {
            return completion(.failure(error))
        }
        let call = values.update.replicated(within: StoreContext.replication)
        var (begun, read): (Result<Begun, StoreError>?, (tokens: [UInt8], statuses: [UInt8])?)
        var missing = 1
        func complete() {
            missing -= 1
            guard missing == 0, let begun else { return }
            completion(begun.map { self.beginning($0, values, record, hold, read) })
        }
        // A page that is read ahead must be read after the record, to have all tokens reported until then.
        if redis.keepsOrderAcrossKeys, !record.catchesUp { missing += 1 }
        let readsAhead = missing > 1
        redis.send(call.command) { result in
            begun = call.result(result).map { Begun($0) }
            complete()
        }
        guard readsAhead else { return }
        readAhead(record) {
            read = $0
            complete()
        }
    }

    /// Reads the page of a small segment; nil if it cannot be read in one step.
    private func readAhead(
        _ record: ActivityRecord, _ completion: @escaping ((tokens: [UInt8], statuses: [UInt8])?) -> Void
    ) {
        let (id, page) = (record.activity.id, record.slots.pages[0])
        let past = record.slots.indexes(inPage: page).last?.upperBound ?? 0
        guard past > 1 else {
            // The page of one device is nearly always a pair of fields.
            let (tokens, statuses) = (PageKey(.updateTokens, id, page), PageKey(.statuses, id, page))
            return redis.send(RedisCommand("HMGET", tokens.counters, tokens.field, statuses.field)) { result in
                let read = (try? result.get())?.copy().array?.compactMap(\.bytes) ?? []
                completion(read.count == 2 ? (read[0], read[1]) : nil)
            }
        }
        let call = Scripts.readPages(pages: [Keys.updatePage(id, page), Keys.statusPage(id, page)])
        redis.send(call.command) { result in
            let read = (try? call.result(result).get()) ?? []
            completion(read.count == 2 ? (read[0], read[1]) : nil)
        }
    }

    private func beginning(
        _ begun: Begun, _ values: BeginValues, _ record: ActivityRecord, _ hold: (number: Int, id: String),
        _ read: (tokens: [UInt8], statuses: [UInt8])?
    ) -> HeldBeginning? {
        guard case .recorded(let new) = begun else { return nil }
        let order = order(of: new, values.draft, record, recordsEvents: false)
        guard new.isHeld, let partition = order.partitions.first else {
            return HeldBeginning(order: order, job: nil, page: nil, pageLength: 0)
        }
        let job = JobTicket(
            held: hold.id, number: hold.number, of: order.id, in: order.activity.id, partition: partition,
            at: values.now)
        var page: PageOfDevices?
        if let read, order.pages == record.slots.pages {
            let number = order.pages[0]
            page = PageOfDevices(number, of: order, read.tokens, read.statuses)
            // The tokens behind marks stand elsewhere.
            if page?.hasMarks == true { page = nil }
        }
        return HeldBeginning(
            order: order, job: job, page: page, pageLength: page == nil ? 0 : read?.statuses.count ?? 0)
    }
}
