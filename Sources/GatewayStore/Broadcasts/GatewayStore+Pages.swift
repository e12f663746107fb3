import LiveActivity
import RedisClient
import TimeCore

// For the worker that carries out a broadcast; all on the reactor.
extension GatewayStore {
    /// Reads a page of the broadcast's devices; of a page with few of them only these. The completion is called once, at
    /// the latest when the client's deadline for commands has passed.
    public func readPage(
        _ page: Int, of order: BroadcastOrder, completion: @escaping (Result<PageOfDevices, StoreError>) -> Void
    ) {
        if case .slots = order.scope {
            let indexes = Array(order.indexes(inPage: page).joined())
            if indexes.count <= GatewayStore.fewCells { return readCells(page, indexes, order, completion) }
        }
        let id = order.activity.id
        var bytes: [UInt8] = []
        var fates: [UInt8] = []
        var failure: RedisError?
        // Replies come in the order of the commands, so the last one finds all three.
        redis.send(RedisCommand("GET", order.kind.tokens.page(id, page))) { result in
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
        readState(of: order) { result in
            if let failure { return completion(.failure(StoreError(failure))) }
            completion(
                result.map { isSuperseded in PageOfDevices(page, of: order, bytes, fates, isSuperseded: isSuperseded) })
        }
    }

    /// Up to how many cells of a page are asked for one by one: these cost Redis as much as the whole page.
    private static let fewCells = 64

    private func readCells(
        _ page: Int, _ indexes: [Int], _ order: BroadcastOrder,
        _ completion: @escaping (Result<PageOfDevices, StoreError>) -> Void
    ) {
        var cells: Result<[CellReply], StoreError>?
        var isSuperseded: Result<Bool, StoreError>?
        // A script that the server has forgotten is sent once more, and so answered after what was sent behind it.
        func complete() {
            guard let cells, let isSuperseded else { return }
            completion(
                cells.flatMap { cells in
                    isSuperseded.map {
                        PageOfDevices(page, indexes, cells, kind: order.kind, isSuperseded: $0)
                    }
                })
        }
        redis.send(readCells(page, indexes, order.kind.tokens, order.activity.id)) { result in
            cells = result.map { CellReply.decode($0.copy()) }.mapError { StoreError($0) }
            complete()
        }
        readState(of: order) { result in
            isSuperseded = result
            complete()
        }
    }

    /// Whether the order is superseded.
    private func readState(of order: BroadcastOrder, _ completion: @escaping (Result<Bool, StoreError>) -> Void) {
        redis.send(RedisCommand("HMGET", Keys.activity(order.activity.id), "newest_order", "state")) { result in
            switch result {
            case .success(let view):
                let fields = view.elements.map(\.string)
                completion(
                    .success(order.isSuperseded(newestOrder: fields.first ?? "", state: fields.last ?? "")))
            case .failure(let error): completion(.failure(StoreError(error)))
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
                let slot = RosterGeometry.slot(page: outcome.page, index: Int(index))
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
                let commands = outcome.deadTokens.compactMap { index, token, asOf in
                    identities.identity(index).map {
                        self.dropPushToStartToken(
                            token, of: $0, tenantID: activity.tenantID, type: activity.type, asOf: asOf)
                    }
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
