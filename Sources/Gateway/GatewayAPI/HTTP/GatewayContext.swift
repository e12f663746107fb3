import Encodings
public import Hummingbird
import NIOCore

/// What a request carries along: its endpoint, and its connection, to end it when the client does not behave.
public struct GatewayContext: RequestContext {
    /// The server framework's own part.
    public var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// Nil where connections are not counted.
    let connection = ClientConnection.current
    /// Whose request it is: who the connection is from or, where a trusted proxy passes it on, who that one says it is
    /// from. Nil where there is no address.
    var clientAddress: IPAddress?
    /// The `X-Request-Id` of request and answer.
    var requestID = ""
    /// Nil when there is none for the request's method and path.
    var endpoint: Endpoint?
    /// The parameters of the endpoint's path, as they stand in the request's.
    var pathParameters: [String: Substring] = [:]
    /// Who has signed in at the console; nil where a key is in the request.
    var signedIn: SignedIn?
    let metadata = RequestMetadata()

    /// The context of a request that has just come.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// True once the caller sends no more: it has closed the connection, or its half of it.
    var isCallerGone: Bool { !channel.isActive || connection?.isInputClosed == true }

    /// Closes the connection shortly, after the answer has had time to leave: the rest of the request is not read.
    /// The answer says so to whoever would send another one.
    func closeSoon() {
        metadata.endsConnection()
        let channel = channel
        channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }
}
