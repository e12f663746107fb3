/// Which update was the last to have come to all of a page, and how far others have got there since.
///
/// Updates of an activity may come faster than a fan-out. Each begins with the pages that have waited for the longest
/// time, and in a page where the last one stopped: so everybody has a turn within two fan-outs, however early each is
/// stopped.
public struct PageTurn: Equatable, Sendable {
    /// How many bytes it takes in the store: those of a partition's pages stand one behind the other.
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
    ///   - last: the page's turn before, from whose device on the page was sent.
    ///   - stop: the index of the first device that the update did not come to; nil when it came to all.
    static func after(_ last: PageTurn?, order: Int, stop: UInt16?) -> PageTurn {
        let first = last?.firstIndex ?? 0
        guard let stop = stop.map({ Int($0) }), stop >= first else { return PageTurn(order: order, firstIndex: 0) }
        return PageTurn(order: last?.order ?? 0, firstIndex: stop)
    }

    /// Pages by how long they have waited, the longest first; those that have waited equally long as they were.
    static func sorted(_ pages: [Int], _ turn: (Int) -> PageTurn?) -> [Int] {
        guard pages.count > 1 else { return pages }
        // Each is given its order, since the library does not promise that its sort is stable.
        return pages.enumerated().map { (order: turn($1)?.order ?? 0, place: $0, page: $1) }
            .sorted { ($0.order, $0.place) < ($1.order, $1.place) }.map(\.page)
    }
}
