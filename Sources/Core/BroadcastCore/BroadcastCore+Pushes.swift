public import TimeCore

/// From waiting to pushed: for a start by way of runs that are noted in the store, for all else at once.
extension BroadcastCore {
    /// Devices that are noted in the store together.
    public struct Run: Equatable, Sendable {
        /// Neighbours in one page.
        struct Stretch: Equatable, Sendable {
            var first: Tag
            var count: Int

            var tags: some Sequence<Tag> {
                (first.rawValue..<(first.rawValue + UInt64(count))).lazy.map(Tag.init(rawValue:))
            }
        }

        /// Each page's number and the devices' indexes in it.
        public internal(set) var pages: [(page: Int, indexes: [UInt16])] = []
        /// The number of devices.
        public private(set) var count = 0
        private(set) var stretches: [Stretch] = []

        mutating func append(_ stretch: Stretch, _ indexes: [UInt16], ofPage page: Int) {
            count += stretch.count
            stretches.append(stretch)
            if pages.last?.page == page {
                pages[pages.count - 1].indexes += indexes
            } else {
                pages.append((page, indexes))
            }
        }

        public static func == (one: Run, other: Run) -> Bool { one.stretches == other.stretches }
    }

    /// Takes the devices of a start to note next, `limit` at most; nil when none is due. Answer with `runNoted` or
    /// `runNotNoted`.
    public mutating func runToNote(now: MonotonicTime, limit: Int) -> Run? {
        guard notesRuns, stopReason == nil else { return nil }
        var run = Run()
        while run.count < limit, !retries.isEmpty, let tag = takeRetry(now) {
            add(tag.place, tag.position..<(tag.position + 1), to: &run)
        }
        while run.count < limit, let (place, positions) = takeNext(limit - run.count) {
            add(place, positions, to: &run)
        }
        guard run.count > 0 else { return nil }
        beingNoted += run.count
        return run
    }

    private mutating func add(_ place: Int, _ positions: Range<Int>, to run: inout Run) {
        pages[place].noted(positions)
        run.append(
            Run.Stretch(first: Tag(place: place, position: positions.lowerBound), count: positions.count),
            pages[place].indexes(positions), ofPage: pages[place].number)
    }

    /// Records that the store has noted a run. Its devices are then ready for pushes.
    public mutating func runNoted(_ run: Run) {
        guard stopReason == nil else { return runNotNoted(run) }
        beingNoted -= run.count
        for stretch in run.stretches { ready.append(stretch.first, count: stretch.count) }
    }

    /// Records that a run will not be noted. Its devices are concluded by the stop reason.
    public mutating func runNotNoted(_ run: Run) {
        precondition(stopReason != nil, "a run was given up while the broadcast goes on")
        beingNoted -= run.count
        for stretch in run.stretches {
            for tag in stretch.tags { concludeStopped(tag) }
        }
    }

    /// The number of devices that are noted, or being noted, and not with the provider.
    public var notedAhead: Int { ready.count + beingNoted }

    /// The number of devices of the open pages that could be pushed to now, if there were room.
    public func waiting(now: MonotonicTime) -> Int {
        guard stopReason == nil else { return 0 }
        let isRetryDue = retries.nextDue.map { $0 <= now } ?? false
        return places.reduce(ready.count + beingNoted + (isRetryDue ? 1 : 0)) { $0 + pages[$1].waiting }
    }

    /// The device to push next, nil when none is due. It counts as in flight from here on; `pushRefused` takes that
    /// back.
    public mutating func nextPush(now: MonotonicTime) -> Tag? {
        if let tag = ready.popFirst() {
            inFlight += 1
            return tag
        }
        guard !notesRuns else { return nil }
        // Retries and first tries alternate, because single pushes probe a paused provider. A few devices that it never
        // answers would otherwise be the only probes.
        if !retries.isEmpty {
            if !isFirstTryNext, let tag = takeRetry(now) {
                isFirstTryNext = true
                inFlight += 1
                return tag
            }
            isFirstTryNext = false
        }
        if stopReason == nil, let (place, positions) = takeNext(1) {
            inFlight += 1
            return Tag(place: place, position: positions.lowerBound)
        }
        guard !retries.isEmpty, let tag = takeRetry(now) else { return nil }
        inFlight += 1
        return tag
    }

    /// Takes neighbours of a page that have not been pushed to, at most `limit`. The page of the last ones comes first,
    /// then the next place. So pages have their turn about in the order in which they were read.
    @inline(__always)
    private mutating func takeNext(_ limit: Int) -> (place: Int, positions: Range<Int>)? {
        if let positions = pages[current].takeNext(limit) { return (current, positions) }
        for offset in 1..<max(2, places.count) {
            let place = (current + offset) % places.count
            guard let positions = pages[place].takeNext(limit) else { continue }
            current = place
            return (place, positions)
        }
        return nil
    }

    /// The client had no room after all: the device is due again at once. This was no attempt.
    public mutating func pushRefused(_ tag: Tag) {
        inFlight -= 1
        if stopReason != nil { return concludeStopped(tag) }
        ready.prepend(tag)
    }

    /// The target of a push. Mutating, because a caller in another module copies the whole core for a call that is not.
    public mutating func target(_ tag: Tag) -> Target {
        pages[tag.place].target(tag.position)
    }
}
