import HTTPTypes
import Hummingbird
import NIOCore

/// Goes out through the pipeline to ask a client for the body that it holds back (RFC 9110, section 10.1.1).
struct BodyRequest: Sendable {}

extension GatewayContext {
    /// Why a body has ended before it was complete.
    var brokenOff: APIError { connection?.isBodyCut == true ? .stopping : .brokenOff }

    /// Tells a client that waits with its body (`Expect: 100-continue`) to send it.
    func askForBody(_ request: Request) {
        guard request.headers[.expect]?.lowercased() == "100-continue" else { return }
        channel.triggerUserOutboundEvent(BodyRequest(), promise: nil)
    }

    /// Whether the body of the request that is being answered has come to its end, and not just to the end of the
    /// connection.
    func hasWholeBody() async -> Bool {
        let channel = channel
        let isWhole = channel.eventLoop.submit { GatewayContext.hasPassedWholeBody(channel) }
        return (try? await isWhole.get()) ?? false
    }

    /// The same where it can be told at once: on the connection's event loop.
    var knowsWholeBody: Bool { channel.eventLoop.inEventLoop && GatewayContext.hasPassedWholeBody(channel) }

    private static func hasPassedWholeBody(_ channel: any Channel) -> Bool {
        (try? channel.pipeline.syncOperations.handler(type: ReportHandler.self).hasPassedWholeBody) ?? false
    }
}
