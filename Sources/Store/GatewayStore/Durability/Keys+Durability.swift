extension Keys {
    /// Written before Redis is asked whether its append-only file has what came until then.
    static let commitMark = "fanfare:{commit}"
}
