/// What breaks a record; which line that is the parser knows.
struct InsiderIDFailure: Error {
    let reason: InsiderIDListError.Reason

    init(_ reason: InsiderIDListError.Reason) { self.reason = reason }
}
