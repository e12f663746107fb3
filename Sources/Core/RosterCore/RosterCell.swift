import LiveActivity

/// A slot's delivery status and the content of its cell, read apart from the page.
public struct RosterCell: Sendable {
    /// See `DeliveryStatus`.
    public let status: UInt8
    /// The byte in place of a token; 0 for none.
    public let mark: UInt8
    /// The token, with its time for an update token; empty if the cell has none.
    public let content: [UInt8]

    /// - Parameters: See the properties.
    public init(status: UInt8, mark: UInt8, content: [UInt8]) {
        self.status = status
        self.mark = mark
        self.content = content
    }

    /// The report that an update cell shows.
    public var report: SlotState.Report { .init(mark: content.isEmpty ? mark : nil) }

    /// The reason for which there is no token; nil if the mark names none.
    public var reason: SkipReason? { SkipReason(rawValue: mark) }
}
