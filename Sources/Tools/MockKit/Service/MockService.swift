/// The behavior of a mock's port: decides the outcome of complete requests. The server does the rest, from TLS to the
/// ledger. Called on the server's reactor.
package protocol MockService: AnyObject {
    /// The header fields that the service reads.
    var fieldNames: FieldNames { get }
    /// The maximum length of a body, in bytes. One more byte is kept, which reveals a longer body.
    var maximumBodyLength: Int { get }
    /// True if clients that do not offer HTTP/2 are served with HTTP/1.1.
    var speaksHTTP1: Bool { get }
    /// The response field with a value for each request (`MockRequest.ownValue`); nil for none.
    var ownFieldName: StaticString? { get }

    /// Reports the port that the server listens on. Called once, before the first request.
    func listens(onPort port: UInt16)
    /// Decides the outcome of a complete request. Called once for each processed request.
    func decide(_ request: MockRequest) -> MockDecision
    /// Returns the ledger's mark of a request that is not processed.
    func mark(ofUnprocessed request: MockRequest) -> UInt16
    /// Returns the debug data of a GOAWAY with the script's reason.
    func goAwayText(_ reason: String) -> [UInt8]
    /// Reports that the connection of this number has ended.
    func connectionEnded(_ number: Int)
}

extension MockService {
    package var speaksHTTP1: Bool { false }
    package var ownFieldName: StaticString? { nil }
    package func listens(onPort port: UInt16) {}
    package func mark(ofUnprocessed request: MockRequest) -> UInt16 { 0 }
    package func connectionEnded(_ number: Int) {}
}
