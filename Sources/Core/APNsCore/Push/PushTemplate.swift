public import Delivery
public import TimeCore

/// The shared part of all pushes of a broadcast: destination, header fields and body. One instance serves any number of
/// pushes on any threads. It is immutable except for `notAfter`.
///
/// The bytes are outside Swift's arrays, at fixed addresses. The HTTP/2 engine refers to them without copying.
public final class PushTemplate: RenderedPush, @unchecked Sendable {
    /// A header field whose bytes live as long as the template. Immutable.
    public struct Field: @unchecked Sendable {
        /// The name of the field.
        public let name: Name
        /// Visible ASCII characters.
        public let value: UnsafeRawBufferPointer
    }

    /// The names of the header fields.
    public enum Name: Int, CaseIterable, Hashable, Sendable {
        case pushType, topic, priority, expiration, channel, collapseIdentifier

        /// The name in lower case, as HTTP/2 requires (RFC 9113, section 8.2).
        public var text: String {
            switch self {
            case .pushType: "apns-push-type"
            case .topic: "apns-topic"
            case .priority: "apns-priority"
            case .expiration: "apns-expiration"
            case .channel: "apns-channel-id"
            case .collapseIdentifier: "apns-collapse-id"
            }
        }
    }

    /// The error in a body.
    public enum Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        case payload(bytes: Int, limit: Int)

        public var description: String {
            switch self {
            case .payload(let bytes, let limit): "the payload has \(bytes) bytes; the provider takes 1 to \(limit)"
            }
        }
    }

    /// The kind of token at the end of the path.
    public let destination: PushDestination
    /// A start, an update or an end.
    public let event: PushEvent
    /// The values from which `fields` is made.
    public let headers: PushHeaders
    /// The id of each push: `apns-id`, or `apns-request-id` of a push to a channel. It ends in the slot.
    public let identifier: PushIdentifier
    /// The deadline for getting a stream. Set it when submitting the pushes, on the client's reactor.
    public var notAfter: MonotonicTime?
    /// `apns-topic`.
    public var topic: String? { headers.topic }
    /// The payload.
    public let body: UnsafeRawBufferPointer
    /// The header fields that all pushes share, in the order of sending.
    public let fields: [Field]
    /// The characters of `apns-id` before the slot's eight digits.
    public let identifierPrefix: UnsafeRawBufferPointer

    private let storage: UnsafeMutableRawBufferPointer

    /// Copies `body`. Throws if it is empty or over the destination's limit.
    public init(
        destination: PushDestination, event: PushEvent, headers: PushHeaders, identifier: PushIdentifier,
        body: some Collection<UInt8>
    ) throws(Invalid) {
        let limit = destination.payloadLimit
        guard (1...limit).contains(body.count) else { throw .payload(bytes: body.count, limit: limit) }
        var values: [(name: Name, text: String)] = [
            (.pushType, headers.pushType.rawValue), (.topic, headers.topic),
            (.priority, String(headers.priority.rawValue)), (.expiration, String(headers.expiration)),
        ]
        if let text = headers.channel { values.append((.channel, text)) }
        if let text = headers.collapseIdentifier { values.append((.collapseIdentifier, text)) }
        let prefix = identifier.prefix
        let total = body.count + prefix.count + values.reduce(0) { $0 + $1.text.utf8.count }
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: total, alignment: 16)
        var end = 0
        func store(_ bytes: some Collection<UInt8>) -> UnsafeRawBufferPointer {
            let part = UnsafeMutableRawBufferPointer(rebasing: storage[end..<(end + bytes.count)])
            part.copyBytes(from: bytes)
            end += bytes.count
            return UnsafeRawBufferPointer(part)
        }
        self.body = store(body)
        identifierPrefix = store(prefix)
        fields = values.map { Field(name: $0.name, value: store($0.text.utf8)) }
        self.storage = storage
        self.destination = destination
        self.event = event
        self.headers = headers
        self.identifier = identifier
    }

    deinit {
        storage.deallocate()
    }
}
