/// The last update that reached all of a page, and the progress of others since.
///
/// Updates of an activity may come faster than a fan-out. Each begins with the pages that have waited longest, and in a
/// page where the last one stopped. So each device has a turn within two fan-outs, however early updates are stopped.
public struct PageTurn: Equatable, Sendable {
    /// The bytes of a turn in the store. Those of a partition's pages are consecutive.
    static let length = 6

    /// The order number of the update with which the last device of the page had its turn; 0 for none.
    var order: Int
    /// The index of the first device that has not had its turn since; 0 for all.
    var firstIndex: Int

    init(order: Int, firstIndex: Int) {
        self.order = order
        self.firstIndex = firstIndex
    }

    init(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes.prefix(PageTurn.length))
        order = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        firstIndex = bytes.dropFirst(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    var bytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: order >> (8 * $0)) }
            + (0..<2).map { UInt8(truncatingIfNeeded: firstIndex >> (8 * $0)) }
    }

    /// The turn of a page after one more update.
    /// - Parameters:
    /// - last: The page's turn before, from whose device on the page was sent.
    /// - stop: The index of the first device that the update did not reach; nil if it reached all.
    static func after(_ last: PageTurn?, order: Int, stop: UInt16?) -> PageTurn {
        let first = last?.firstIndex ?? 0
        guard let stop = stop.map({ Int($0) }), stop >= first else { return PageTurn(order: order, firstIndex: 0) }
        return PageTurn(order: last?.order ?? 0, firstIndex: stop)
    }

    /// Sorts pages by their waiting time, the longest first. Equal ones keep their order.
    static func sorted(_ pages: [Int], _ turn: (Int) -> PageTurn?) -> [Int] {
        guard pages.count > 1 else { return pages }
        // The library's sort is not stable, so each page has its place as a second key.
        return pages.enumerated().map { (order: turn($1)?.order ?? 0, place: $0, page: $1) }
            .sorted { ($0.order, $0.place) < ($1.order, $1.place) }.map(\.page)
    }
}
