/// A mock's script: rules for the service, and the behavior of its connections.
package protocol ServiceScript: Sendable {
    var connection: ConnectionScript { get }
    init(json: [UInt8]) throws(MockError)
}

/// A service with its own script, ledger format and counts.
package protocol ScriptedService: MockService, Sendable {
    associatedtype Script: ServiceScript

    /// Replaces the script and resets the counters and random draws of the rules. Called on the server's reactor.
    func scriptSet(_ script: Script)
    /// Returns a record as JSON without a newline. Callable on any thread.
    func ledgerLine(_ record: Ledger.Record) -> [UInt8]
    /// Returns the counts as a JSON object. Callable on any thread.
    func countsText(_ counts: ServerCounts) -> [UInt8]
    /// The names of the control port's pages besides script, ledger and counts.
    var pageNames: [String] { get }
    /// Returns a page as a JSON object; nil if no page has this name. Callable on any thread.
    func page(_ name: String) -> [UInt8]?
}

extension ScriptedService {
    package var pageNames: [String] { [] }
    package func page(_ name: String) -> [UInt8]? { nil }
}
