/// A client side of HTTP/2 under test: the engine, or libnghttp2's session as the oracle.
protocol Client: AnyObject {
    /// False when it takes no more requests now.
    func open(_ plan: RequestPlan) -> Bool
    func cancel(tag: UInt32)
    func ping()
    func goAway()
    func receive(_ bytes: [UInt8])
    /// At most `limit` bytes of what has to be sent.
    func takeOutput(_ limit: Int) -> [UInt8]

    var outcomes: [UInt32: Outcome] { get }
    /// Error codes of the GOAWAY frames that have come.
    var goAways: [UInt32] { get }
    var pingsAcknowledged: Int { get }
    /// What should not have happened.
    var violations: [String] { get }
}
