import HTTPTypes
import Hummingbird
import NIOCore

/// An outbound event that asks a client for the body that it holds back (RFC 9110, section 10.1.1).
struct BodyRequest: Sendable {}

extension GatewayContext {
    /// The error of an incomplete body.
    var brokenOff: APIError { connection?.isBodyCut == true ? .stopping : .brokenOff }

    /// Sends 100 Continue to a client that waits for it.
    func askForBody(_ request: Request) {
        guard request.headers[.expect]?.lowercased() == "100-continue" else { return }
        channel.triggerUserOutboundEvent(BodyRequest(), promise: nil)
    }

    /// True if the body of the current request is complete, rather than cut off by the end of the connection.
    func hasWholeBody() async -> Bool {
        let channel = channel
        let isWhole = channel.eventLoop.submit { GatewayContext.hasPassedWholeBody(channel) }
        return (try? await isWhole.get()) ?? false
    }

    /// True if the body is known to be complete. False on other threads than the connection's event loop.
    var knowsWholeBody: Bool { channel.eventLoop.inEventLoop && GatewayContext.hasPassedWholeBody(channel) }

    private static func hasPassedWholeBody(_ channel: any Channel) -> Bool {
        (try? channel.pipeline.syncOperations.handler(type: ReportHandler.self).hasPassedWholeBody) ?? false
    }
}
