import Delivery
import LiveActivity
import RosterCore
import TestSupport
import TimeCore

@testable import GatewayStore

/// A store with two activities and two logins of a phone, in plain values. Changes have the steps of the real ones: the
/// state first, and then a pass over the cells.
struct SyncWorld: CustomStringConvertible {
    /// The place of a login in an activity.
    struct Spot: Hashable {
        var login = 0
        var activity = 0
    }

    struct Cell {
        var slot: UInt32
        /// The reason for which the Live Activity has ended, as far as the store knows.
        var ended: EndReason?
        var token: Int?
        /// Former tokens of the present Live Activity, and the one that was dropped for want of a consent.
        var former: Set<Int> = []
        var dropped: Int?
        /// Tokens of earlier Live Activities.
        var earlier: Set<Int> = []
        var hasReported = false
        var isShown = false
        var owed: EndReason?
        var pending: UniqueID?
    }

    struct Login {
        var isErased = false
        var refuses = false
        var changedKind: RouteKind?
        var registrationToken: Int?
    }

    enum Life { case missing, registered, cancelled, started, ended }

    struct StoredActivity {
        let id = UniqueID.random()
        var life = Life.started
        var isOver = false
        var end: UniqueID?
        var endReason = EndReason.expired
        var catchesUp = false
        var update: MissedUpdate?
    }

    enum Name { case none, new, present, earlier, ofOther }

    struct Report {
        enum Reference { case id, topic, search }

        var reference = Reference.id
        var type: String?
        var token: Int?
        var name = Name.none
    }

    /// A change that has still to pass over the cells.
    enum Pass { case end(Int), consent(Int), erasure(Int), registrationToken(Int) }

    static let tenant = "tenant"
    static let now = WallTime(milliseconds: 1_000_000)

    var activities = [StoredActivity(), StoredActivity()]
    var logins = [Login(), Login()]
    var cells: [Spot: Cell] = [:]
    var passes: [Pass] = []
    var recorded: Set<UniqueID> = []
    var coming: MissedUpdate?
    var isChannelKept = true
    var hasHandOvers = false
    var mayShowAgain = true
    var hasScript = true
    /// An update that only the move has found.
    var hidden: UniqueID?
    /// The number of passes that were made.
    private(set) var passed = 0
    let isAndroid: Bool
    let isCluster: Bool
    /// The activities as they were read a moment ago.
    var known: [KnownActivity?] = [nil, nil]
    private var newest = 100
    private var nextSlot: UInt32 = 0

    var description: String { "\(activities) \(logins) \(cells) \(passes) coming \(String(describing: coming))" }

    init(_ generator: inout SeededGenerator) {
        func draw(_ number: Int) -> Bool { Int.random(in: 0..<number, using: &generator) == 0 }
        (isAndroid, isCluster) = (draw(4), draw(3))
        hasHandOvers = !isAndroid && draw(3)
        (isChannelKept, mayShowAgain) = (!draw(2), !draw(3))
        let lives: [Life] = [.missing, .registered, .cancelled, .started]
        if draw(8) { activities[0].life = lives.randomElement(using: &generator) ?? .started }
        activities[0].isOver = draw(8)
        for index in 0..<2 where draw(3) {
            activities[index].catchesUp = true
            activities[index].update = draw(2) ? MissedUpdate(.random(), order: 1) : nil
        }
        for spot in [Spot(), Spot(activity: 1), Spot(login: 1)] where !draw(6) {
            var cell = Cell(slot: freeSlot(isAndroid ? .fcm : .apns))
            if draw(2) { (cell.token, cell.hasReported) = (newToken(), true) }
            if draw(3) { cell.former = [newToken()] }
            if draw(3) { cell.earlier = [newToken()] }
            if draw(6) {
                (cell.ended, cell.hasReported) = ([.userDismissed, .endedByAPI].randomElement(using: &generator), true)
                if let token = cell.token { cell.former.insert(token) }
                cell.token = nil
            }
            cells[spot] = cell
        }
        if isAndroid { for login in 0..<2 where !draw(5) { logins[login].registrationToken = newToken() } }
        if isAndroid {
            for spot in cells.keys where cells[spot]?.ended == nil {
                cells[spot]?.token = logins[spot.login].registrationToken
            }
        }
    }

    mutating func newToken() -> Int {
        newest += 1
        return newest
    }

    mutating func freeSlot(_ kind: RouteKind) -> UInt32 {
        nextSlot += 1
        return RosterGeometry.firstSlot(of: kind) + nextSlot
    }

    mutating func report(_ generator: inout SeededGenerator) -> Report {
        var report = Report()
        report.reference = [.id, .id, .topic, .search].randomElement(using: &generator) ?? .id
        if Int.random(in: 0..<10, using: &generator) == 0, report.reference != .search { report.type = "other" }
        guard !isAndroid else { return report }
        report.name = [.none, .none, .new, .present, .earlier, .ofOther].randomElement(using: &generator) ?? .none
        if report.reference == .search, report.name != .none { report.name = .new }
        let own = cells[report.name == .ofOther ? Spot(activity: 1) : Spot()]
        var tokens: [Int?] = [nil, newToken(), newToken(), own?.token, own?.former.min(), own?.earlier.min()]
        if report.name == .none { tokens.append(cells[Spot(activity: 1)]?.token) }
        if hasHandOvers, report.name == .none || report.name == .new { tokens.append(cells[Spot(login: 1)]?.token) }
        report.token = tokens.randomElement(using: &generator) ?? nil
        return report
    }

    // MARK: The changes

    /// Another call changes the store. Its pass may follow at once.
    mutating func change(_ generator: inout SeededGenerator) {
        if isAndroid, Bool.random(using: &generator) {
            logins[0].registrationToken = newToken()
            passes.append(.registrationToken(0))
        } else if passes.isEmpty || Bool.random(using: &generator) {
            changeState(&generator)
        }
        if Bool.random(using: &generator) { pass(&generator) }
    }

    private mutating func changeState(_ generator: inout SeededGenerator) {
        let (login, activity) = (Int.random(in: 0..<4, using: &generator) / 3, Int.random(in: 0..<2, using: &generator))
        switch Int.random(in: 0..<7, using: &generator) {
        case 0:
            guard activities[activity].life == .started else { return }
            (activities[activity].life, activities[activity].end) = (.ended, .random())
            if Bool.random(using: &generator) { activities[activity].endReason = .endedByAPI }
            passes.append(.end(activity))
        case 1:
            logins[login].refuses.toggle()
            if logins[login].refuses { passes.append(.consent(login)) }
        case 2:
            guard !logins[login].isErased, Int.random(in: 0..<4, using: &generator) == 0 else { return }
            logins[login].isErased = true
            passes.append(.erasure(login))
        case 3:
            guard !isAndroid else { return }
            logins[login].changedKind = logins[login].changedKind == .apnsSandbox ? .apns : .apnsSandbox
        case 4:
            // An end to some devices becomes pending before it is recorded, and is not recorded if it was refused.
            guard
                let spot = cells.keys.sorted(by: { ($0.login, $0.activity) < ($1.login, $1.activity) })
                    .randomElement(using: &generator), cells[spot]?.owed == nil, cells[spot]?.token == nil,
                cells[spot]?.ended == nil
            else { return }
            let end = UniqueID.random(using: &generator)
            cells[spot]?.pending = end
            if Bool.random(using: &generator) { recorded.insert(end) }
        case 5:
            if activities[activity].catchesUp {
                activities[activity].update = MissedUpdate(.random(), order: newToken())
            }
            if Bool.random(using: &generator) { coming = MissedUpdate(.random(), order: newToken()) }
        default: hasScript = false
        }
    }

    /// Goes on with a change. Returns false if there is none.
    @discardableResult
    mutating func pass(_ generator: inout SeededGenerator) -> Bool {
        guard !passes.isEmpty else { return false }
        passed += 1
        switch passes.remove(at: Int.random(in: 0..<passes.count, using: &generator)) {
        case .end(let activity): for spot in cells.keys where spot.activity == activity { push(spot) }
        case .consent(let login):
            for spot in cells.keys where spot.login == login && logins[login].refuses { drop(spot) }
        case .erasure(let login): for spot in cells.keys where spot.login == login { cells[spot] = nil }
        case .registrationToken(let login):
            for spot in cells.keys where spot.login == login && cells[spot]?.token != nil {
                cells[spot]?.token = logins[login].registrationToken
            }
        }
        return true
    }

    /// An end is pushed to the token of a place.
    mutating func push(_ spot: Spot, _ reason: EndReason = .endedByAPI) {
        guard let token = cells[spot]?.token, cells[spot]?.ended == nil else { return }
        change(spot) {
            $0.former.insert(token)
            ($0.token, $0.ended, $0.owed, $0.pending) = (nil, $0.owed ?? reason, nil, nil)
        }
    }

    mutating func change(_ spot: Spot, _ body: (inout Cell) -> Void) {
        guard var cell = cells[spot] else { return }
        body(&cell)
        cells[spot] = cell
    }

    /// A job sends an update to a place that has missed it.
    mutating func send(_ update: UniqueID, to spot: Spot) {
        if coming?.id == update { coming = nil }
        if activities[spot.activity].update?.id == update { activities[spot.activity].update = nil }
    }

    mutating func drop(_ spot: Spot) {
        guard let token = cells[spot]?.token else { return }
        let dropped = isAndroid ? nil : token
        change(spot) {
            ($0.token, $0.dropped) = (nil, dropped)
            $0.former.insert(token)
        }
    }

    /// True if the token of a place must have got an end or must be gone, and no pass is left that does so.
    func hasLeftToken(_ spot: Spot) -> Bool {
        guard cells[spot]?.token != nil else { return false }
        var (isEnded, isRefused) = (activities[spot.activity].end != nil, logins[spot.login].refuses)
        for pass in passes {
            switch pass {
            case .end(spot.activity): isEnded = false
            case .consent(spot.login): isRefused = false
            case .erasure(spot.login): return false
            default: break
            }
        }
        return isEnded || isRefused
    }
}
