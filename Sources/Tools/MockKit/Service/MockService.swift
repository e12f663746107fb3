/// What a port of a mock means: it judges whole requests and says what becomes of each. All else, from TLS to the
/// ledger, is the server's. Called on the server's reactor.
package protocol MockService: AnyObject {
    /// The header fields that it looks at.
    var fieldNames: FieldNames { get }
    /// So many bytes of a body are kept, and one more, by which a longer one shows.
    var maximumBodyLength: Int { get }
    /// True if clients that do not offer HTTP/2 are served in HTTP/1.1.
    var speaksHTTP1: Bool { get }
    /// The header field of answers whose value each request has for itself (`MockRequest.ownValue`); nil for none.
    var ownFieldName: StaticString? { get }

    /// The server listens. Called once, before the first request.
    func listens(onPort port: UInt16)
    /// What becomes of a request that is whole. Called once for each that is processed.
    func decide(_ request: MockRequest) -> MockDecision
    /// What stands in the ledger for a request that is not processed.
    func mark(ofUnprocessed request: MockRequest) -> UInt16
    /// The debug data of a GOAWAY with the script's reason.
    func goAwayText(_ reason: String) -> [UInt8]
    /// A connection of this number is over.
    func connectionEnded(_ number: Int)
}

extension MockService {
    package var speaksHTTP1: Bool { false }
    package var ownFieldName: StaticString? { nil }
    package func listens(onPort port: UInt16) {}
    package func mark(ofUnprocessed request: MockRequest) -> UInt16 { 0 }
    package func connectionEnded(_ number: Int) {}
}
