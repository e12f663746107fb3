/// What a script of a mock is made of: what its service reads, and what its connections do.
package protocol ServiceScript: Sendable {
    var connection: ConnectionScript { get }
    init(json: [UInt8]) throws(MockError)
}

/// A service with scripts, a ledger and counts of its own.
package protocol ScriptedService: MockService, Sendable {
    associatedtype Script: ServiceScript

    /// On the server's reactor: this script is in force from now on, and its rules count and draw anew.
    func scriptSet(_ script: Script)
    /// A record as JSON, without the end of the line. On any thread.
    func ledgerLine(_ record: Ledger.Record) -> [UInt8]
    /// The counts as a JSON object. On any thread.
    func countsText(_ counts: ServerCounts) -> [UInt8]
    /// What the control port has beside script, ledger and counts.
    var pageNames: [String] { get }
    /// The page of this name as a JSON object; nil when there is none. On any thread.
    func page(_ name: String) -> [UInt8]?
}

extension ScriptedService {
    package var pageNames: [String] { [] }
    package func page(_ name: String) -> [UInt8]? { nil }
}
