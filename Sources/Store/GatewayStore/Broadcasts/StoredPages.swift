import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import TimeCore

/// Pages of devices, as the worker that carries out a broadcast reads and writes them. On the reactor.
public final class StoredPages: StoreFeature {
    let context: StoreContext
    let roster: StoredRoster
    let devices: StoredDevices

    init(_ context: StoreContext, roster: StoredRoster, devices: StoredDevices) {
        self.context = context
        self.roster = roster
        self.devices = devices
    }

    /// Reads a page of the broadcast's devices; of a page with few of them only these. The completion is called once,
    /// at the latest when the client's deadline for commands has passed.
    /// - Parameter isResumed: True if another gateway has worked on the job before. Live Activities of a start that
    ///   have ended since are then skipped only if they were not counted already.
    public func readPage(
        _ page: Int, of order: BroadcastOrder, isResumed: Bool = false,
        completion: @escaping (Result<PageOfDevices, StoreError>) -> Void
    ) {
        guard order.kind == .end else {
            return readTokens(inPage: page, of: order, isResumed: isResumed, completion: completion)
        }
        readTokens(inPage: page, of: order, isResumed: isResumed) { [self] result in
            guard case .success(let page) = result, let endOrder = order.endOrder else { return completion(result) }
            leaveOutLaterStarts(page, of: order, endOrder) { [self] result in
                guard case .success(let page) = result else { return completion(result) }
                holdEnd(for: page, of: order) { error in
                    completion(error.map { .failure($0) } ?? .success(page))
                }
            }
        }
    }

    private func readTokens(
        inPage page: Int, of order: BroadcastOrder, isResumed: Bool,
        completion: @escaping (Result<PageOfDevices, StoreError>) -> Void
    ) {
        let isLimited = order.kind == .start && context.rules.maximumPerDevice > 0
        guard RosterGeometry.kind(ofPage: page).hasOneToken || isLimited else {
            return readPage(page, of: order, isResumed, completion)
        }
        readPage(page, of: order, isResumed) { [self] result in
            guard case .success(let devices) = result, devices.hasMarks || isLimited else { return completion(result) }
            complete(devices, of: order, completion)
        }
    }

    private func readPage(
        _ page: Int, of order: BroadcastOrder, _ isResumed: Bool,
        _ completion: @escaping (Result<PageOfDevices, StoreError>) -> Void
    ) {
        guard isResumed, order.kind == .start else { return readPage(page, of: order, completion) }
        readPage(page, of: order) { [self] result in
            guard case .success(let devices) = result, devices.skipped[.ended] > 0 else { return completion(result) }
            read([Keys.outcomePage(order.activity.id, page)]) { pages in
                let outcomes = pages.map { OutcomePage($0[0]) }
                completion(outcomes.map { known in devices.withoutCounted { known.outcome($0) != nil } })
            }
        }
    }

    private func readPage(
        _ page: Int, of order: BroadcastOrder, _ completion: @escaping (Result<PageOfDevices, StoreError>) -> Void
    ) {
        let id = order.activity.id
        if order.notesReading { return readNoting(page, order, completion) }
        if case .slots = order.scope {
            let indexes = Array(order.indexes(inPage: page).joined())
            if indexes.count <= StoredPages.fewCells {
                let call = roster.readCells(page, indexes, order.kind.tokens, id)
                return redis.send(call.command) { result in
                    completion(
                        call.result(result).map {
                            PageOfDevices(page, indexes, RosterCell.decode($0), kind: order.kind)
                        })
                }
            }
        }
        let keys = [order.kind.tokens.page(id, page), Keys.statusPage(id, page)]
        func readAnywhere() {
            read(keys) { completion($0.map { PageOfDevices(page, of: order, $0[0], $0[1]) }) }
        }
        let past = order.indexes(inPage: page).last?.upperBound ?? 0
        guard PageKey.isLong(past) else { return readAnywhere() }
        readKeys(keys) { result in
            switch result {
            // A page with empty slots, or with few cells, may be short.
            case .success(let pages) where pages[0].isEmpty || !PageKey.isLong(pages[1].count): readAnywhere()
            case .success(let pages): completion(.success(PageOfDevices(page, of: order, pages[0], pages[1])))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Reads pages that have keys of their own, without a script.
    private func readKeys(_ keys: [String], _ completion: @escaping (Result<[[UInt8]], StoreError>) -> Void) {
        var pages = [[UInt8]](repeating: [], count: keys.count)
        var failure: StoreError?
        var missing = keys.count
        for (place, key) in keys.enumerated() {
            redis.send(RedisCommand("GET", key)) { result in
                switch result {
                case .success(let view): pages[place] = Array(view.bytes)
                case .failure(let error): failure = failure ?? StoreError(error)
                }
                missing -= 1
                // In a cluster that is changing the first may be sent again, and so be answered last.
                if missing == 0 { completion(failure.map { .failure($0) } ?? .success(pages)) }
            }
        }
    }

    /// Reads pages of one partition, from fields or keys.
    func read(_ keys: [String], completion: @escaping (Result<[[UInt8]], StoreError>) -> Void) {
        let call = Scripts.readPages(pages: keys)
        redis.send(call.command) { result in
            completion(
                call.result(result).flatMap { pages in
                    pages.count == keys.count ? .success(pages) : .failure(.damaged("pages of a partition"))
                })
        }
    }

    /// Up to how many cells of a page are asked for one by one: these cost Redis as much as the whole page.
    private static let fewCells = 64

    /// Writes outcomes of a page's devices in one step, and takes dead tokens away. Refused tokens are set aside when
    /// the run is over. The sending does not wait for it, and a failed call may be repeated. The outcomes of a start
    /// are written even if another gateway works on the job by now.
    public func write(
        _ outcome: PageOutcome, of order: BroadcastOrder, owner: String,
        completion: @escaping (Result<JobWrite, StoreError>) -> Void
    ) {
        var write: Result<JobWrite, StoreError>?
        var areTokensDropped = false
        var dropFailure: StoreError?
        func complete() {
            guard areTokensDropped, let write else { return }
            // An end that is not recorded as pending would be forgotten.
            if case .success(.written) = write, let dropFailure { return completion(.failure(dropFailure)) }
            completion(write)
        }
        func written(_ result: Result<JobWrite, StoreError>) {
            write = result
            complete()
        }
        if order.kind == .start {
            record(outcome, of: order, owner, written)
        } else {
            finish(outcome, of: order, owner, written)
        }
        settleTokens(outcome, of: order) { error in
            areTokensDropped = true
            dropFailure = order.pendingEnd == nil ? nil : error
            complete()
        }
    }

    /// Writes outcomes of a start.
    private func record(
        _ outcome: PageOutcome, of order: BroadcastOrder, _ owner: String,
        _ completion: @escaping (Result<JobWrite, StoreError>) -> Void
    ) {
        let call = outcome.recording(order, owner: owner, at: wallClock())
        redis.send(call.command) { [self] result in
            switch call.result(result) {
            case .success(.recorded): completion(.success(.written))
            case .success(.lost): completion(.success(.lost))
            case .success(.closed(let growth)):
                amend(order, inPage: outcome.page, growth) { completion($0.map { .failure($0) } ?? .success(.lost)) }
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Writes outcomes of an update or end, which finish a page.
    private func finish(
        _ outcome: PageOutcome, of order: BroadcastOrder, _ owner: String,
        _ completion: @escaping (Result<JobWrite, StoreError>) -> Void
    ) {
        let call = outcome.finishing(order, owner: owner, at: wallClock())
        redis.send(call.command) { [self] result in
            switch call.result(result) {
            case .success(.finished(let slots)), .success(.finishedBefore(let slots)):
                guard let end = order.pendingEnd else { return completion(.success(.written)) }
                addLateEnds(slots.compactMap { UInt32(exactly: $0) }, by: end, in: order.activity) {
                    completion($0.map { .failure($0) } ?? .success(.written))
                }
            case .success(.lost): completion(.success(.lost))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Changes the counts of a broadcast once it has ended. Until then, its counts are being added up.
    /// - Parameter growth: Names of counts, each with its growth.
    func amend(
        _ order: BroadcastOrder, inPage page: Int, _ growth: [String], completion: @escaping (StoreError?) -> Void
    ) {
        guard !growth.isEmpty else { return completion(nil) }
        let call = Scripts.amendBroadcast(
            broadcast: Keys.broadcast(order.activity.id, order.id),
            cohort: order.cohort(of: RosterGeometry.kind(ofPage: page)).rawValue, growth: growth)
        amend(call, attempts: StoredPages.amendAttempts, completion)
    }

    private func amend(
        _ call: ScriptCall<Scripts.AmendBroadcastReply>, attempts: Int, _ completion: @escaping (StoreError?) -> Void
    ) {
        redis.send(call.command) { [self] result in
            switch call.result(result) {
            case .success(.amended), .success(.noBroadcast): return completion(nil)
            case .success(.notEnded), .failure: break
            }
            // Reported outcomes are no longer among the doubts. They are known only here.
            guard attempts > 1 else { return completion(nil) }
            redis.reactor.schedule(after: StoredPages.amendPause) {
                self.amend(call, attempts: attempts - 1, completion)
            }
        }
    }

    private static let amendPause = TimeInterval.milliseconds(250)
    /// For ten minutes: a start of a million that waits for its last gateway, or an outage of Redis, may take that
    /// long.
    private static let amendAttempts = 2400

    /// Writes the outcome of a part without a record: only the state of the device's Live Activity and token. A failed
    /// call may be repeated.
    public func finishPart(
        _ outcome: PageOutcome, of order: BroadcastOrder, completion: @escaping (Result<Void, StoreError>) -> Void
    ) {
        // A Live Activity that was updated goes on.
        guard order.kind == .end else {
            settleTokens(outcome, of: order) { _ in }
            return completion(.success(()))
        }
        settleTokens(outcome, of: order) { [self] error in
            if let error, order.pendingEnd != nil { return completion(.failure(error)) }
            finishEnd(outcome, of: order, completion)
        }
    }

    private func finishEnd(
        _ outcome: PageOutcome, of order: BroadcastOrder, _ completion: @escaping (Result<Void, StoreError>) -> Void
    ) {
        let cell = TokenPage.cell(reason: .ended)
        let slots = outcome.accepted.map { RosterGeometry.slot(page: outcome.page, index: Int($0)) }
        let calls = zip(slots, outcome.accepted).map { slot, index in
            let reportedAt = outcome.reportTime(index, after: order.activity.createdAt)
            return roster.clearUpdateCell(
                order.activity, slot: slot, cell, status: DeliveryStatus.ended(order.endReason), asOf: reportedAt,
                pendingEnd: reportedAt.map { _ in order.id }, endOrder: order.endOrder)
        }
        let outcomes = outcome.outcomes(at: wallClock()).map {
            noteOutcomes($0, outcome.page, order.activity, endOrder: order.endOrder)
        }
        clearCells(calls, slots, by: order.id, in: order.activity) { [self] error in
            sendAll([outcomes?.command].compactMap(\.self)) {
                completion((error ?? $0).map { .failure($0) } ?? .success(()))
            }
        }
    }

    /// See `Scripts.noteOutcomes`.
    /// - Parameter endOrder: See `BroadcastOrder.endOrder`.
    func noteOutcomes(
        _ change: OutcomePage.Change, _ page: Int, _ activity: Activity, endOrder: Int? = nil
    ) -> ScriptCall<Bool> {
        let starts = endOrder.map { _ in Keys.startCounts(activity.id, RosterGeometry.partition(ofPage: page)) }
        return Scripts.noteOutcomes(
            outcomePage: Keys.outcomePage(activity.id, page), statusPage: Keys.statusPage(activity.id, page),
            startCounts: starts, first: change.first, codes: change.codes, kinds: change.kinds,
            expiresAt: activity.keptUntil.milliseconds, firstSlot: Int(RosterGeometry.slot(page: page, index: 0)),
            order: endOrder.map { "\($0)" } ?? "")
    }

    /// Drops dead tokens, and keeps an end pending for the devices of refused ones.
    func settleTokens(
        _ outcome: PageOutcome, of order: BroadcastOrder, _ done: @escaping (StoreError?) -> Void
    ) {
        dropDeadTokens(outcome, of: order) { [self] error in
            holdEnd(forRefused: outcome, of: order) { done(error ?? $0) }
        }
    }

    /// A token that could not be dropped is dropped when the provider says so again.
    func dropDeadTokens(
        _ outcome: PageOutcome, of order: BroadcastOrder, _ done: @escaping (StoreError?) -> Void
    ) {
        guard !outcome.deadTokens.isEmpty else { return done(nil) }
        if order.kind == .start { return devices.dropStartTokens(outcome, of: order) { _ in done(nil) } }
        guard RosterGeometry.kind(ofPage: outcome.page).hasOneToken else {
            return dropUpdateTokens(outcome.deadTokens, outcome, order, done)
        }
        // The one token of the device is dead for starts as well.
        devices.dropStartTokens(outcome, of: order) { [self] replaced in
            let dead = outcome.deadTokens.filter { !replaced.contains($0.index) }.map { index, token, asOf in
                (index, RegistrationToken.cellContent(RegistrationToken.unescaped(token)), asOf)
            }
            dropUpdateTokens(dead, outcome, order) { [self] error in
                // The device may show the Live Activity under another token, which the end has not reached.
                let others = outcome.deadTokens.filter { replaced.contains($0.index) }
                holdEnd(others.map { ($0.index, $0.token) }, outcome, order) { done(error ?? $0) }
            }
        }
    }

    /// Sends the commands and gives the first error, once all have been answered.
    /// - Parameter answered: Receives each reply with the place of its command, and returns an error of the reply.
    func sendAll(
        _ commands: [RedisCommand],
        _ answered: @escaping (_ place: Int, _ reply: RedisReplyView) -> StoreError? = { _, _ in nil },
        completion: @escaping (StoreError?) -> Void
    ) {
        guard !commands.isEmpty else { return completion(nil) }
        var open = commands.count
        var failure: StoreError?
        for (place, command) in commands.enumerated() {
            redis.send(command) { result in
                switch result {
                case .success(let view):
                    let error = answered(place, view)
                    failure = failure ?? error
                case .failure(let error): failure = failure ?? StoreError(error)
                }
                open -= 1
                if open == 0 { completion(failure) }
            }
        }
    }

    /// Reads a page for an update and records the tokens that it meets. On the reactor.
    private func readNoting(
        _ page: Int, _ order: BroadcastOrder, _ completion: @escaping (Result<PageOfDevices, StoreError>) -> Void
    ) {
        let id = order.activity.id
        let call = Scripts.noteReading(
            updatePage: Keys.updatePage(id, page), statusPage: Keys.statusPage(id, page),
            reading: Keys.readPage(id, page), order: order.order, expiresAt: order.activity.keptUntil.milliseconds)
        redis.send(call.command) { result in
            completion(call.result(result).map { PageOfDevices(page, of: order, $0.updatePage, $0.statusPage) })
        }
    }
}
