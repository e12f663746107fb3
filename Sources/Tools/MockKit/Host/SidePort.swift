/// A second port of a mock. It shares the thread and certificate of the first, and has its own service and journal.
package struct SidePort: Sendable {
    let service: any MockService & Sendable
    let options: ServerOptions
    let journal: Journal

    /// - Parameter options: The options of the port. `controlPort` is ignored.
    package init(_ service: any MockService & Sendable, options: ServerOptions, journal: Journal) {
        self.service = service
        self.options = options
        self.journal = journal
    }
}
