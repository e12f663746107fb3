import BroadcastCore
import GatewayStore
import Reactor
import RosterCore

/// Reads the pages of a broadcast as a fan-out does, eight at a time, and finishes each with a success for every
/// device. Lives on the reactor.
final class PageWalk {
    struct Outcome: Sendable {
        var devices = 0
        /// The CPU time of the reactor's thread, in nanoseconds.
        var readTime = 0
        var finishTime = 0
        /// The first failure.
        var failure: StoreError?
    }

    private let store: GatewayStore
    private let order: BroadcastOrder
    private let pages: [Int]
    private let completion: (Outcome) -> Void
    private var outcome = Outcome()
    private var next = 0
    private var open = 0

    private static let openPages = 8

    /// - Parameter finishes: whether delivery statuses are written as well.
    static func run(_ stage: BenchmarkStage, _ order: BroadcastOrder, pages: [Int], finishes: Bool) async throws
        -> Outcome
    {
        let outcome: Outcome = await withCheckedContinuation { continuation in
            stage.reactor.execute {
                let start = BenchmarkStage.threadTime
                PageWalk(stage.store, order, pages) { outcome in
                    var outcome = outcome
                    outcome.readTime = BenchmarkStage.threadTime - start
                    guard finishes else { return continuation.resume(returning: outcome) }
                    FinishWalk(stage.store, order, pages) { finished in
                        outcome.finishTime = finished.time
                        outcome.failure = outcome.failure ?? finished.failure
                        continuation.resume(returning: outcome)
                    }.step()
                }.readAhead()
            }
        }
        if let failure = outcome.failure { throw failure }
        return outcome
    }

    private init(
        _ store: GatewayStore, _ order: BroadcastOrder, _ pages: [Int], _ completion: @escaping (Outcome) -> Void
    ) {
        self.store = store
        self.order = order
        self.pages = pages
        self.completion = completion
    }

    private func readAhead() {
        while open < PageWalk.openPages, next < pages.count {
            open += 1
            next += 1
            store.pages.readPage(pages[next - 1], of: order) { [self] result in
                open -= 1
                switch result {
                case .success(let page):
                    let page = BroadcastPage(number: page.page, devices: page.devices, bytes: page.bytes)
                    outcome.devices += page.count
                case .failure(let failure): outcome.failure = outcome.failure ?? failure
                }
                if next == pages.count, open == 0 { completion(outcome) } else { readAhead() }
            }
        }
    }
}

/// Writes a success for every device of the pages, eight at a time.
final class FinishWalk {
    static let owner = "benchmark"
    private let store: GatewayStore
    private let order: BroadcastOrder
    private let pages: [Int]
    private let completion: ((time: Int, failure: StoreError?)) -> Void
    private let start = BenchmarkStage.threadTime
    private var failure: StoreError?
    private var next = 0
    private var open = 0

    init(
        _ store: GatewayStore, _ order: BroadcastOrder, _ pages: [Int],
        _ completion: @escaping ((time: Int, failure: StoreError?)) -> Void
    ) {
        self.store = store
        self.order = order
        self.pages = pages
        self.completion = completion
    }

    func step() {
        while open < 8, next < pages.count {
            open += 1
            var outcome = PageOutcome(page: pages[next])
            outcome.accepted = order.slots.indexes(inPage: pages[next]).flatMap { $0.map { UInt16($0) } }
            next += 1
            outcome.counts.accepted = outcome.accepted.count
            store.pages.write(outcome, of: order, owner: FinishWalk.owner) { [self] result in
                open -= 1
                if case .failure(let problem) = result { failure = failure ?? problem }
                if next == pages.count, open == 0 {
                    completion((BenchmarkStage.threadTime - start, failure))
                } else {
                    step()
                }
            }
        }
    }
}
