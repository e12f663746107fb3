/// A queue in one growing buffer: first in, first out, without moving what it holds.
struct Ring<Element> {
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Element? { count == 0 ? nil : slots[head] }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    /// Calls `body` with each element from the first to the last and its place in that order.
    mutating func forEach(_ body: (Int, inout Element) -> Void) {
        for place in 0..<count {
            let slot = (head + place) & (slots.count - 1)
            guard var element = slots[slot].take() else { continue }
            body(place, &element)
            slots[slot] = element
        }
    }

    private mutating func grow() {
        var larger = [Element?](repeating: nil, count: max(16, slots.count * 2))
        for place in 0..<count {
            larger[place] = slots[(head + place) & (slots.count - 1)].take()
        }
        slots = larger
        head = 0
    }
}
