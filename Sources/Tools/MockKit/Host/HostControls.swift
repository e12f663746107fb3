import Reactor

/// The operations of a running mock, for the embedding program and the control port.
package final class HostControls<Service: ScriptedService>: MockControls {
    private let service: Service
    private let server: MockServer
    private let reactor: Reactor
    private let journal: Journal

    init(service: Service, server: MockServer, reactor: Reactor, journal: Journal) {
        self.service = service
        self.server = server
        self.reactor = reactor
        self.journal = journal
    }

    /// Replaces the script before it returns.
    /// - Parameter text: The source of the script, if it has one.
    package func setScript(_ script: Service.Script, text: [UInt8]?) {
        let (service, server) = (service, server)
        let set: @Sendable () -> Void = {
            service.scriptSet(script)
            server.scriptSet(script.connection, text: text)
        }
        if reactor.isOnReactor { return set() }
        let done = Handover<Void>()
        guard reactor.execute({ done.give(set()) }) else { return }
        done.take()
    }

    package func setScript(json: [UInt8]) throws(MockError) {
        setScript(try Service.Script(json: json), text: json)
    }

    package func scriptText() -> [UInt8]? {
        let server = server
        let text = Handover<[UInt8]?>()
        guard reactor.execute({ text.give(server.scriptText) }) else { return nil }
        return text.take()
    }

    package func ledgerLines(from first: Int, limit: Int) -> [UInt8]? {
        guard journal.keepsEntries else { return nil }
        return LedgerFile.lines(journal.processed(from: first, limit: limit), service.ledgerLine)
    }

    package var pageNames: [String] { service.pageNames }

    package func page(_ name: String) -> [UInt8]? {
        service.page(name).map { $0 + [UInt8(ascii: "\n")] }
    }

    package func countsText() -> [UInt8] {
        service.countsText(journal.counts) + [UInt8(ascii: "\n")]
    }
}
