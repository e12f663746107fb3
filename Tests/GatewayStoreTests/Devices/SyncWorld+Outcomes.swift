import LiveActivity

@testable import GatewayStore

// The outcomes that a state of the world allows. They follow from what is true of the Live Activity and its user, and
// not from the steps of a sync.
extension SyncWorld {
    enum Told: Hashable {
        case notFound, notStarted, mismatch, recorded
        case end(UniqueID), endAgain(EndReason), behind(UniqueID)
        /// The activity's time is up; with the end that must be sent.
        case over(UniqueID?)
    }

    /// The relation of the reported token to the place.
    enum Relation {
        case none, present, new, former
        /// Dropped for want of a consent, so no end went to it.
        case dropped
        /// That of an earlier Live Activity.
        case earlier
    }

    /// The state of the place, as far as the token goes.
    struct Standing: Hashable {
        var relation: Relation
        var ended: EndReason?
        var owed: EndReason?
    }

    /// The facts about a report, each with the values that it has had.
    struct Seen {
        /// The outcome of a report that leads to no Live Activity which can be recorded; nil for one that does.
        var closed: Set<Told?> = []
        var refuses: Set<Bool> = []
        var standings: Set<Standing> = []
        var end: Set<UniqueID?> = []
        var pending: Set<UniqueID?> = []
        var missed: Set<UniqueID?> = []
        var isOver = false

        mutating func add(_ world: SyncWorld, _ report: Report) {
            let spot = world.target(report)
            let isFirst = closed.isEmpty
            closed.insert(world.closed(report, spot))
            if let spot { isOver = world.activities[spot.activity].isOver }
            guard let spot, let cell = world.cells[spot] else { return }
            let login = world.logins[spot.login]
            refuses.insert(login.refuses)
            end.insert(world.activities[spot.activity].end)
            pending.insert(cell.pending.flatMap { world.recorded.contains($0) ? $0 : nil })
            let newest = world.activities[spot.activity].update?.id
            missed.insert(login.changedKind == nil ? newest : world.coming?.id ?? newest)
            if !isFirst { missed.insert(newest) }
            let relation = world.relation(of: report, to: cell, spot)
            standings.insert(Standing(relation: relation, ended: cell.ended, owed: cell.owed))
        }

        func allows(_ told: Told, in world: SyncWorld) -> Bool {
            if closed.contains(told) { return true }
            guard closed.contains(nil) else { return false }
            // Another end has ended it meanwhile, or its device was erased.
            let hasChanged = standings.count > 1 || closed.contains(.notFound)
            if hasChanged, [.recorded, .over(nil)].contains(told), standings.contains(where: { $0.ended != nil }) {
                return true
            }
            return standings.contains { standing in
                refuses.contains { refuses in
                    end.contains { end in
                        pending.contains { pending in
                            missed.contains { missed in
                                told == world.told(standing, refuses, end, pending, missed, isOver: isOver)
                            }
                        }
                    }
                }
            }
        }
    }

    /// The place of the Live Activity that is meant; nil for none.
    private func target(_ report: Report) -> Spot? {
        let own = Spot(activity: report.name == .ofOther ? 1 : 0)
        guard report.name != .ofOther, report.name != .earlier else { return cells[own] == nil ? nil : own }
        if let owner = owner(report), owner != own {
            let isSearched = hasHandOvers || report.reference == .search
            if isSearched || report.name == .none && cells[own] != nil { return owner }
        }
        return cells[own] == nil ? nil : own
    }

    private func closed(_ report: Report, _ spot: Spot?) -> Told? {
        guard let spot, !logins[0].isErased else { return .notFound }
        let named = Spot(activity: report.namedActivity)
        func closed(_ activity: Int, _ type: String?) -> Told? {
            let activity = activities[activity]
            let wasStarted = activity.life == .started || activity.life == .ended
            let hasEnded = activity.life == .ended && activity.endReason != .expired
            if activity.isOver, !wasStarted || hasEnded { return .notFound }
            if type != nil { return .mismatch }
            return wasStarted ? nil : activity.life == .registered ? .notStarted : .notFound
        }
        // The report may name an activity that is not that of the Live Activity.
        if report.reference != .search {
            if activities[0].life == .missing { return .notFound }
            if cells[named] != nil, let closed = closed(named.activity, report.type) { return closed }
        }
        if logins[spot.login].isErased { return .notFound }
        // A search finds no activity whose time is up.
        if report.reference == .search || spot != named, activities[spot.activity].isOver { return .notFound }
        // A token that another activity's Live Activity has no more leads to it, and is not written.
        if spot.login == 0, spot.activity != report.namedActivity, cells[spot]?.token != report.token {
            return .recorded
        }
        if let closed = closed(spot.activity, spot.login == 0 ? report.type : nil) { return closed }
        return nil
    }

    private func relation(of report: Report, to cell: Cell, _ spot: Spot) -> Relation {
        guard !isAndroid else { return logins[spot.login].registrationToken == nil ? .none : .present }
        guard let token = report.token else { return .none }
        if token == cell.token { return .present }
        if cell.earlier.contains(token) { return .earlier }
        // An earlier Live Activity may be on the phone until a newer one has a token.
        if report.name == .earlier, cell.ended != nil || cell.token != nil { return .earlier }
        if token == cell.dropped { return .dropped }
        return cell.former.contains(token) ? .former : .new
    }

    private func told(
        _ standing: Standing, _ refuses: Bool, _ end: UniqueID?, _ pending: UniqueID?, _ missed: UniqueID?, isOver: Bool
    ) -> Told {
        let recorded = isOver ? Told.over(nil) : .recorded
        func ending(_ end: UniqueID) -> Told { isOver ? .over(end) : .end(end) }
        var owed = standing.owed
        if let reason = standing.ended {
            if reason == .userDismissed {
                guard standing.relation != .none else { return refuses ? .notFound : recorded }
            } else if refuses {
                return .notFound
            }
            // The Live Activity is there after its end, unless the report is an old one.
            let isThere =
                standing.relation == .new || standing.relation == .dropped || isAndroid && standing.relation != .none
            guard isThere, reason == .userDismissed || mayShowAgain else { return refuses ? .notFound : recorded }
            owed = reason
        }
        if standing.relation == .earlier { return recorded }
        // Only the app can end a Live Activity to which nothing may be sent.
        if refuses { return end ?? pending != nil || owed != nil ? .notFound : recorded }
        if standing.relation == .none { return end != nil && !isChannelKept ? .notFound : recorded }
        if let owed, end == nil, !isOver { return .endAgain(owed) }
        if owed == nil, let end = pending ?? end { return ending(end) }
        if let end { return ending(end) }
        if isOver { return recorded }
        return missed.map { .behind($0) } ?? recorded
    }
}

extension SyncWorld.Report {
    /// The activity that the report names.
    var namedActivity: Int { name == .ofOther ? 1 : 0 }
}
