import GatewayStore
import NIOCore

/// A report during its arrival. Confined to its connection.
final class ReportRequest {
    /// The maximum number of bytes that are read before the key is checked. No valid body is longer.
    private static let allowance = 64 * 1024

    enum Fault {
        case tooLarge, tooSlow
    }

    let head: ReportHead
    let began: NIODeadline
    /// The key's admission; nil until the store answers.
    var admission: Admission?
    /// The place among the client's forwarded requests.
    var place = ClientConnection.ForwardedPlace.notNeeded
    /// The time at which it was complete; nil before.
    var received: DeviceReport.Reception?
    var isComplete: Bool { received != nil }
    /// The bytes of the body so far.
    private var body: ByteBuffer?
    /// The share of memory of the body; nil for a body in one piece, as nearly all are.
    private var memory: Share?
    /// The fault of the body, of which no more is kept then.
    private(set) var fault: Fault?

    let maximumBytes: Int
    private let bodyEnd: NIODeadline
    private var count = 0

    init(_ head: ReportHead, limits: APISettings, now: NIODeadline) {
        self.head = head
        began = now
        maximumBytes = min(limits.maximumReportBytes, limits.maximumBodyBytes)
        bodyEnd = now + TimeAmount(limits.bodyDeadline)
        // The announced size is enough to refuse the body.
        if let announced = head.announced, announced > maximumBytes { fault = .tooLarge }
    }

    /// True if the rest of the body must wait until the key is known.
    var isPaused: Bool { admission == nil && !isComplete && count > ReportRequest.allowance }

    func add(_ bytes: ByteBuffer, now: NIODeadline) {
        count += bytes.readableBytes
        guard fault == nil else { return }
        if count > maximumBytes {
            fault = .tooLarge
        } else if now >= bodyEnd {
            fault = .tooSlow
        } else if body == nil {
            body = bytes
        } else {
            var bytes = bytes
            body?.writeBuffer(&bytes)
        }
        if fault != nil { drop() }
    }

    /// Charges the body to a share of memory; false if there is none.
    func hold(in bodies: SharedResource) -> Bool {
        guard let body else { return true }
        let share =
            memory
            ?? Share(
                of: bodies,
                for: admission.map { .devices(ofTenant: $0.tenantID, weight: $0.limits[.weight]) } ?? .stranger)
        memory = share
        // A small piece keeps the whole buffer that it was read into.
        return share.grow(to: body.storageCapacity)
    }

    private func drop() {
        body = nil
        memory = nil
    }

    /// Returns the body and releases it, so that its buffer can be reused.
    func takeBody() -> [UInt8] {
        defer { drop() }
        return body.map { Array($0.readableBytesView) } ?? []
    }
}
