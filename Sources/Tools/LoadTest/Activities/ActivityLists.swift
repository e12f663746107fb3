/// The numbers of activities by state. Adding, removing and drawing take constant time.
struct ActivityLists: Sendable {
    private var lists: [PlayedActivity.State: [Int]] = [:]
    private var places: [Int: Int] = [:]

    /// In no order.
    func numbers(in state: PlayedActivity.State) -> [Int] { lists[state] ?? [] }

    mutating func add(_ number: Int, to state: PlayedActivity.State) {
        places[number] = lists[state]?.count ?? 0
        lists[state, default: []].append(number)
    }

    /// Has no effect if the number is not in the list.
    mutating func remove(_ number: Int, from state: PlayedActivity.State) {
        guard let place = places[number], let last = lists[state]?.last else { return }
        places[number] = nil
        // The last element takes the free position.
        if last != number {
            lists[state]?[place] = last
            places[last] = place
        }
        lists[state]?.removeLast()
    }
}
