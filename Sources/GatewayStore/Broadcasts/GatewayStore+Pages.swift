public import LiveActivity
import RedisClient
import TimeCore

/// A page of a roster on its way to the provider.
public struct PageOfDevices: Sendable {
    public let page: Int
    /// The devices addressed: index in the page, and where the token lies in `bytes`.
    public internal(set) var devices: [(index: Int, token: Range<Int>)] = []
    public internal(set) var skipped = SkipCounts()
    /// The cells of the whole page.
    public let bytes: [UInt8]
    /// A newer broadcast, maybe another gateway's, leaves nothing for this one to do.
    public let isSuperseded: Bool
}

// For the worker that carries out a broadcast; all on the reactor.
extension GatewayStore {
    /// Reads a page of the broadcast's devices. The completion is called once, at the latest when the client's deadline
    /// for commands has passed.
    public func readPage(
        _ page: Int, of order: BroadcastOrder, completion: @escaping (Result<PageOfDevices, StoreError>) -> Void
    ) {
        let id = order.activity.id
        let kind = order.kind.tokens
        var bytes: [UInt8] = []
        var fates: [UInt8] = []
        var failure: RedisError?
        // Replies come in the order of the commands, so the last one finds all three.
        redis.send(RedisCommand("GET", kind.page(id, page))) { result in
            switch result {
            case .success(let view): bytes = Array(view.bytes)
            case .failure(let error): failure = error
            }
        }
        redis.send(RedisCommand("GET", Keys.fatePage(id, page))) { result in
            switch result {
            case .success(let view): fates = Array(view.bytes)
            case .failure(let error): failure = failure ?? error
            }
        }
        redis.send(RedisCommand("HMGET", Keys.activity(id), "newest_order", "state")) { result in
            switch result {
            case .success(let view):
                if let failure { return completion(.failure(StoreError(failure))) }
                let fields = view.elements.map(\.string)
                let isSuperseded = order.isSuperseded(newestOrder: fields.first ?? "", state: fields.last ?? "")
                completion(.success(PageOfDevices(page, of: order, bytes, fates, isSuperseded: isSuperseded)))
            case .failure(let error): completion(.failure(StoreError(failure ?? error)))
            }
        }
    }

    /// Writes what became of a page's devices, and takes dead tokens away. Not waited for by the sending.
    public func finishPage(
        _ outcome: PageOutcome, of order: BroadcastOrder, completion: @escaping (StoreError?) -> Void
    ) {
        let id = order.activity.id
        var commands: [RedisCommand] = []
        if let (first, fates) = outcome.fates(order.kind) {
            commands.append(
                RedisCommand(
                    script: Scripts.putFates, keys: [Keys.fatePage(id, outcome.page)], arguments: [first, fates]))
        }
        if order.kind == .start {
            if !outcome.deadTokens.isEmpty {
                return dropStartTokens(outcome, of: order) { failure in
                    self.sendAll(commands) { completion(failure ?? $0) }
                }
            }
        } else {
            for (index, token, asOf) in outcome.deadTokens {
                let slot = RosterGeometry.slot(page: outcome.page, index: index)
                commands.append(
                    clearUpdateCell(
                        order.activity, slot: slot, TokenPage.cell(reason: nil), fate: nil, asOf: asOf, token: token))
            }
        }
        if order.kind == .end, order.scope != .wholeSegment {
            // The activity lives on without these cards. With the whole segment it is dead, and nobody asks any more.
            for index in outcome.accepted {
                let slot = RosterGeometry.slot(page: outcome.page, index: index)
                let cell = TokenPage.cell(reason: .ended)
                commands.append(
                    clearUpdateCell(order.activity, slot: slot, cell, fate: Fate.ended(.endedByAPI), asOf: nil))
            }
        }
        sendAll(commands, completion: completion)
    }

    /// Writes the state of a broadcast's record and its counts so far.
    public func note(
        _ state: BroadcastState, _ fields: [(name: String, value: String)], of order: BroadcastOrder,
        completion: @escaping (StoreError?) -> Void
    ) {
        var builder = RedisCommandBuilder("HSET")
        builder.append(Keys.broadcast(order.activity.id, order.id))
        builder.append("state")
        builder.append(state.rawValue)
        for (name, value) in fields {
            builder.append(name)
            builder.append(value)
        }
        sendAll([builder.finish()], completion: completion)
    }

    /// Forgets the content of a broadcast that has ended. An end's is kept for devices that sync late.
    public func forgetContent(of order: BroadcastOrder) {
        guard order.kind != .end else { return }
        sendAll([RedisCommand("HDEL", Keys.broadcast(order.activity.id, order.id), "payload", "scope")]) { _ in }
    }

    /// A start sends each token once, so its pages have served their purpose.
    public func dropStartPages(of order: BroadcastOrder) {
        sendAll(order.slots.pages.map { RedisCommand("UNLINK", Keys.startPage(order.activity.id, $0)) }) { _ in }
    }

    private func dropStartTokens(
        _ outcome: PageOutcome, of order: BroadcastOrder, completion: @escaping (StoreError?) -> Void
    ) {
        let activity = order.activity
        redis.send(RedisCommand("HGETALL", Keys.identityPage(activity.id, outcome.page))) { result in
            switch result {
            case .failure(let error): completion(StoreError(error))
            case .success(let view):
                let identities = IdentityPage(view.copy().fields)
                let commands = outcome.deadTokens.flatMap { index, token, asOf -> [RedisCommand] in
                    guard let key = identities.key(index) else { return [] }
                    return self.dropPushToStartToken(
                        token, of: key, tenantID: activity.tenantID, type: activity.type, asOf: asOf)
                }
                self.sendAll(commands, completion: completion)
            }
        }
    }

    /// Sends the commands and gives the first error, once all have been answered.
    private func sendAll(_ commands: [RedisCommand], completion: @escaping (StoreError?) -> Void) {
        guard !commands.isEmpty else { return completion(nil) }
        var open = commands.count
        var failure: StoreError?
        for command in commands {
            redis.send(command) { result in
                if case .failure(let error) = result, failure == nil { failure = StoreError(error) }
                open -= 1
                if open == 0 { completion(failure) }
            }
        }
    }
}

/// What became of the devices of a page, by their index in it.
public struct PageOutcome: Sendable {
    public let page: Int
    public var accepted: [Int] = []
    public var failed: [Int] = []
    /// The push may have been delivered; nobody knows.
    public var unknown: [Int] = []
    /// Tokens that the provider called dead, and since when.
    public var deadTokens: [(index: Int, token: [UInt8], asOf: WallTime)] = []

    public init(page: Int) {
        self.page = page
    }

    /// The fates to write, from the first index that has one on; 0 where nothing changes. Nil when nothing does at all.
    func fates(_ kind: BroadcastKind) -> (first: Int, fates: [UInt8])? {
        var changes: [(index: Int, fate: UInt8)] = []
        switch kind {
        case .start:
            changes += accepted.map { ($0, Fate.startAccepted) }
            changes += failed.map { ($0, Fate.startFailed) }
            changes += unknown.map { ($0, Fate.startUnknown) }
        case .update: break
        case .end: changes += accepted.map { ($0, Fate.ended(.endedByAPI)) }
        }
        guard let first = changes.map(\.index).min(), let last = changes.map(\.index).max() else { return nil }
        var fates = [UInt8](repeating: 0, count: last - first + 1)
        for (index, fate) in changes { fates[index - first] = fate }
        return (first, fates)
    }
}

/// Who the slots of a page are.
struct IdentityPage {
    private var runs: [(first: Int, keys: [DeviceKey])]

    init(_ fields: [RedisField]) {
        runs = fields.compactMap { name, value in
            Int(String(decoding: name, as: UTF8.self)).map { ($0, IdentityRun.decode(value)) }
        }
    }

    func key(_ index: Int) -> DeviceKey? {
        for (first, keys) in runs where index >= first && index - first < keys.count { return keys[index - first] }
        return nil
    }
}

extension BroadcastOrder {
    /// By the activity's fields: the order number of its newest broadcast to the whole segment, and its state.
    fileprivate func isSuperseded(newestOrder: String, state: String) -> Bool {
        switch kind {
        case .start: state == "\(Activity.State.dead.rawValue)"
        case .update: (Int(newestOrder) ?? 0) > order
        case .end: false
        }
    }
}

extension [UInt32] {
    /// The first index whose element satisfies the condition, which holds from some element on; the count if none does.
    fileprivate func partitioningIndex(_ holds: (UInt32) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension PageOfDevices {
    init(_ page: Int, of order: BroadcastOrder, _ bytes: [UInt8], _ fates: [UInt8], isSuperseded: Bool) {
        self.init(page: page, bytes: bytes, isSuperseded: isSuperseded)
        let tokens = TokenPage(bytes)
        switch order.scope {
        case .wholeSegment:
            devices.reserveCapacity(RosterGeometry.slotsPerPage)
            for range in order.slots.indexes(inPage: page) {
                for index in range { add(index, tokens, fates, order.kind) }
            }
        case .slots(let slots):
            // Slots are in ascending order, so the page's are next to each other.
            let start = slots.partitioningIndex { RosterGeometry.page(ofSlot: $0) >= page }
            for slot in slots[start...] {
                guard RosterGeometry.page(ofSlot: slot) == page else { break }
                add(RosterGeometry.index(ofSlot: slot), tokens, fates, order.kind)
            }
        }
    }

    private mutating func add(_ index: Int, _ tokens: TokenPage, _ fates: [UInt8], _ kind: BroadcastKind) {
        let fate = index < fates.count ? fates[index] : Fate.absent
        guard Fate.isMember(fate) else { return }
        guard Fate.endReason(fate) == nil else { return skipped[.ended] += 1 }
        switch tokens.cell(index) {
        case .none(let reason): skipped[kind.tokens.reason(reason, fate: fate)] += 1
        case .content(let range):
            guard kind != .start else { return devices.append((index, range)) }
            // A damaged cell holds no token: the device is counted all the same.
            guard let token = UpdateToken.token(in: range) else { return skipped[.notSynced] += 1 }
            devices.append((index, token))
        }
    }

    private init(page: Int, bytes: [UInt8], isSuperseded: Bool) {
        self.page = page
        self.bytes = bytes
        self.isSuperseded = isSuperseded
    }
}
