import GatewayStore
import NIOCore

/// A report while it comes in. Confined to its connection.
final class ReportRequest {
    /// The most bytes of a body that are read before the key is checked; longer than any body may be.
    private static let allowance = 64 * 1024

    enum Fault {
        case tooLarge, tooSlow
    }

    let head: ReportHead
    let began: NIODeadline
    /// What the key opens; nil while the store is asked.
    var admission: Admission?
    /// Among the requests that proxies pass on for the same client.
    var place = ClientConnection.ForwardedPlace.notNeeded
    /// When it had come in whole; nil until then.
    var received: DeviceReport.Reception?
    var isComplete: Bool { received != nil }
    /// The bytes of the body so far.
    private var body: ByteBuffer?
    /// What the body takes of memory; nil for one that comes in one piece, which all but a few do.
    private var memory: Share?
    /// What is wrong with the body; then no more of it is kept.
    private(set) var fault: Fault?

    let maximumBytes: Int
    private let bodyEnd: NIODeadline
    private var count = 0

    init(_ head: ReportHead, limits: APISettings, now: NIODeadline) {
        self.head = head
        began = now
        maximumBytes = min(limits.maximumReportBytes, limits.maximumBodyBytes)
        bodyEnd = now + TimeAmount(limits.bodyDeadline)
        // What is announced as too large is not waited for.
        if let announced = head.announced, announced > maximumBytes { fault = .tooLarge }
    }

    /// Whether the rest of the body must wait until the key is known.
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

    /// Notes what is held of the body; false when it may not be.
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

    /// The whole body. Afterwards there is none, so that the memory it was read into can be read into again.
    func takeBody() -> [UInt8] {
        defer { drop() }
        return body.map { Array($0.readableBytesView) } ?? []
    }
}
