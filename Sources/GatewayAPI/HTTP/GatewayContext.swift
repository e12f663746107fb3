import Hummingbird
import LiveActivity
import NIOCore

/// What a request carries along: its connection, to end it when the client does not behave.
public struct GatewayContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The `X-Request-Id` of request and answer.
    var requestID = ""
    let notes = RequestNotes()

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Closes the connection shortly, after the answer has had time to leave: the rest of the request is not read.
    func closeSoon() {
        let channel = channel
        channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }
}
