/// An HTTP/2 client under test: the engine, or libnghttp2's session as the oracle.
protocol Client: AnyObject {
    /// Returns false if it accepts no more requests now.
    func open(_ plan: RequestPlan) -> Bool
    func cancel(tag: UInt32)
    func ping()
    func goAway()
    func receive(_ bytes: [UInt8])
    /// Takes at most `limit` bytes of the output.
    func takeOutput(_ limit: Int) -> [UInt8]

    var outcomes: [UInt32: Outcome] { get }
    /// The error codes of the received GOAWAY frames.
    var goAways: [UInt32] { get }
    var pingsAcknowledged: Int { get }
    /// The violated expectations.
    var violations: [String] { get }
}
