public import Foundation

/// A request with its keys, as it goes out.
public struct HTTPCall: Sendable {
    /// The whole address.
    public let url: URL
    /// `GET`, `PUT`, `POST` or `DELETE`.
    public let method: String
    /// Names and values of headers. Among them are secrets, which belong in no log.
    public let headers: [String: String]
    /// A JSON object; nil: none.
    public let body: Data?
    /// The seconds within which the answer must be there.
    public let timeout: TimeInterval
}

/// Carries requests to the gateway. It is called for one request at a time.
public protocol GatewayTransport: Sendable {
    /// Sends a request, and returns within its timeout. It follows no redirect and tries nothing twice.
    func send(_ call: HTTPCall) async -> GatewayAnswer
}
