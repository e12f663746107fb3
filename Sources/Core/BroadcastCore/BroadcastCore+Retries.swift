public import TimeCore

/// Retries, and the pages that need not wait for them.
extension BroadcastCore {
    /// The due time of the next retry; nil without any.
    public var nextRetry: MonotonicTime? { retries.nextDue }

    mutating func takeRetry(_ now: MonotonicTime) -> Tag? {
        guard let tag = retries.popDue(now) else { return nil }
        pages[tag.place].retrying -= 1
        return tag
    }

    /// True if only retries are left, and none is due.
    public func isResting(now: MonotonicTime) -> Bool {
        guard stopReason == nil, !hasPagesToRead, inFlight == 0, beingNoted == 0, ready.count == 0,
            let next = retries.nextDue, next > now
        else { return false }
        for place in places where pages[place].isInUse && pages[place].open > pages[place].retrying { return false }
        return true
    }

    // MARK: Places for pages

    /// True if another page may be read, in addition to those being read and those open.
    func hasRoomForPage(besides reading: Int, of open: Int) -> Bool {
        let allowed = max(1, configuration.openPages)
        if reading + open < allowed { return true }
        guard reading + open < capacity else { return false }
        return places.reduce(reading) { $0 + (isBusy($1) ? 1 : 0) } < allowed
    }

    /// True if a page has more left than a few devices that wait for a retry.
    private func isBusy(_ place: Int) -> Bool {
        guard pages[place].isInUse else { return false }
        let open = pages[place].open
        return open > pages[place].retrying || open > configuration.restingDevices
    }

    /// Returns a free place for a page, if necessary a new one within `capacity`; nil without one.
    mutating func freePlace() -> Int? {
        for place in places where !pages[place].isInUse { return place }
        guard places.count < capacity else { return nil }
        let place = places.upperBound
        (pages + place).initialize(to: OpenPage())
        places = 0..<(place + 1)
        return place
    }
}
