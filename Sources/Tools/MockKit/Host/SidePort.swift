/// A further port of a mock, with the thread and the certificate of the first and a service and a journal of its own.
package struct SidePort: Sendable {
    let service: any MockService & Sendable
    let options: ServerOptions
    let journal: Journal

    /// - Parameter options: of the port; that of the control port is not looked at.
    package init(_ service: any MockService & Sendable, options: ServerOptions, journal: Journal) {
        self.service = service
        self.options = options
        self.journal = journal
    }
}
