/// An error in a record, without its line, which the parser adds.
struct InsiderIDFailure: Error {
    let reason: InsiderIDListError.Reason

    init(_ reason: InsiderIDListError.Reason) { self.reason = reason }
}
