import Reactor

/// What can be asked of the mock of APNs while it runs, by the program around it and by the control port.
final class MockAPNsControls: MockControls {
    private let server: MockServer
    private let reactor: Reactor
    private let journal: Journal

    init(server: MockServer, reactor: Reactor, journal: Journal) {
        self.server = server
        self.reactor = reactor
        self.journal = journal
    }

    /// - Parameter text: what it was read from, if anything.
    func setScript(_ script: MockScript, text: [UInt8]?) {
        let server = server
        if reactor.isOnReactor { return server.scriptSet(script, text: text) }
        let done = Handover<Void>()
        guard reactor.execute({ done.give(server.scriptSet(script, text: text)) }) else { return }
        done.take()
    }

    func setScript(json: [UInt8]) throws(MockAPNsError) {
        setScript(try MockScript(json: json), text: json)
    }

    func scriptText() -> [UInt8]? {
        let server = server
        let text = Handover<[UInt8]?>()
        guard reactor.execute({ text.give(server.scriptText) }) else { return nil }
        return text.take()
    }

    func ledgerLines(from first: Int, limit: Int) -> [UInt8]? {
        guard journal.keepsEntries else { return nil }
        return LedgerFile.lines(journal.processed(from: first, limit: limit))
    }

    func countsText() -> [UInt8] {
        journal.counts.json + [UInt8(ascii: "\n")]
    }
}
