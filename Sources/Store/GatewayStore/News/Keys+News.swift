extension Keys {
    /// In which shards there is something new for gateways to take.
    static let jobNews = "fanfare:{news}:jobs"

    /// For which tenants there are new events to deliver, by `NewsBoard.place(of:)`.
    static let webhookNews = "fanfare:{news}:webhooks"
}
