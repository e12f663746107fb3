public import TimeCore

/// From waiting to pushed: for a start by way of runs that are noted in the store, for all else at once.
extension BroadcastCore {
    /// Devices that are noted in the store together.
    public struct Run: Equatable, Sendable {
        /// Each page's number and the devices' indexes in it.
        public internal(set) var pages: [(page: Int, indexes: [UInt16])] = []
        var tags: [Tag] = []

        public var count: Int { tags.count }

        public static func == (one: Run, other: Run) -> Bool { one.tags == other.tags }
    }

    /// The devices of a start to note next, at most `limit` and a run's length; nil when none is due. Answer with `runNoted`
    /// or `runNotNoted`.
    public mutating func runToNote(now: MonotonicTime, limit: Int) -> Run? {
        guard notesRuns, halt == nil else { return nil }
        let limit = min(limit, configuration.runLength)
        var run = Run()
        while run.count < limit, !retries.isEmpty, let tag = takeRetry(now) { add(tag, to: &run) }
        while run.count < limit, let (place, position) = takeNext() {
            add(Tag(place: place, position: position), to: &run)
        }
        guard run.count > 0 else { return nil }
        beingNoted += run.count
        return run
    }

    private mutating func add(_ tag: Tag, to run: inout Run) {
        let number = pages[tag.place].number
        pages[tag.place].taken(tag.position)
        run.tags.append(tag)
        let index = pages[tag.place].index(tag.position)
        if run.pages.last?.page == number {
            run.pages[run.pages.count - 1].indexes.append(index)
        } else {
            run.pages.append((number, [index]))
        }
    }

    /// The store has noted a run: its devices may be pushed to.
    public mutating func runNoted(_ run: Run) {
        beingNoted -= run.count
        if halt != nil {
            for tag in run.tags { concludeHalted(tag) }
            return
        }
        var start = 0
        while start < run.tags.count {
            // Tags of one page one after another are one range.
            let first = run.tags[start].rawValue
            var end = start + 1
            while end < run.tags.count, run.tags[end].rawValue == first + UInt64(end - start) { end += 1 }
            ready.append(run.tags[start], count: end - start)
            start = end
        }
    }

    /// The run is not noted, and will not be: its devices are left as the halt says.
    public mutating func runNotNoted(_ run: Run) {
        precondition(halt != nil, "a run was given up while the broadcast goes on")
        beingNoted -= run.count
        for tag in run.tags { concludeHalted(tag) }
    }

    /// How many devices are noted, or being noted, and not with the provider.
    public var notedAhead: Int { ready.count + beingNoted }

    /// How many devices of the open pages could be sent something now, if there were room.
    public func waiting(now: MonotonicTime) -> Int {
        guard halt == nil else { return 0 }
        let isRetryDue = retries.nextDue.map { $0 <= now } ?? false
        return places.reduce(ready.count + beingNoted + (isRetryDue ? 1 : 0)) { $0 + pages[$1].waiting }
    }

    /// The device to push next, nil when none is due. It counts as in flight from here on; `pushRefused` takes that back.
    public mutating func nextPush(now: MonotonicTime) -> Tag? {
        if let tag = ready.popFirst() {
            inFlight += 1
            return tag
        }
        guard !notesRuns else { return nil }
        if !retries.isEmpty, let tag = takeRetry(now) {
            inFlight += 1
            return tag
        }
        guard halt == nil, let (place, position) = takeNext() else { return nil }
        inFlight += 1
        return Tag(place: place, position: position)
    }

    /// A device that has not been sent anything; of the page that the last one came from as long as it has any, and then of
    /// the next place, so that pages have their turn about as they were read.
    @inline(__always)
    private mutating func takeNext() -> (place: Int, position: Int)? {
        if let position = pages[current].takeNext() { return (current, position) }
        for offset in 1..<max(2, places.count) {
            let place = (current + offset) % places.count
            guard let position = pages[place].takeNext() else { continue }
            current = place
            return (place, position)
        }
        return nil
    }

    /// The client had no room after all: the device is due again at once. This was no attempt.
    public mutating func pushRefused(_ tag: Tag) {
        inFlight -= 1
        if halt != nil { return concludeHalted(tag) }
        ready.prepend(tag)
    }

    /// Where the push goes.
    public func target(_ tag: Tag) -> Target {
        pages[tag.place].target(tag.position)
    }
}
