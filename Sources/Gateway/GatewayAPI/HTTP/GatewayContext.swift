import Encodings
public import Hummingbird
import NIOCore

/// The context of a request: its endpoint, its connection and its metadata.
public struct GatewayContext: RequestContext {
    /// The server framework's part.
    public var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The connection; nil where connections are not counted.
    let connection = ClientConnection.current
    /// The address of the client: the peer's, or the one that a trusted proxy forwards. Nil on a local socket.
    var clientAddress: IPAddress?
    /// The `X-Request-Id` of request and answer.
    var requestID = ""
    /// Nil if there is none for the request's method and path.
    var endpoint: Endpoint?
    /// The parameters of the endpoint's path, still escaped.
    var pathParameters: [String: Substring] = [:]
    /// The identity of a console session; nil if the request has a key.
    var signedIn: SignedIn?
    let metadata = RequestMetadata()

    /// The context of a new request.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// True once the caller sends no more: it has closed the connection, or its half of it.
    var isCallerGone: Bool { !channel.isActive || connection?.isInputClosed == true }

    /// Closes the connection after a second, in which the answer can be sent. The rest of the request is not read, and
    /// the answer says that the connection closes.
    func closeSoon() {
        metadata.endsConnection()
        let channel = channel
        channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }
}
