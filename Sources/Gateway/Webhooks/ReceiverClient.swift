import Encodings
import EventCore
import GatewayStore
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TimeCore

/// Sends one request to a receiver and looks at the status of the answer.
///
/// Each delivery looks the receiver's name up and checks what it stands for; the connection is then made to the very
/// address that was checked, so a name server that answers differently a moment later changes nothing. Redirects are not
/// followed. The name stays what the certificate is checked against.
struct ReceiverClient: Sendable {
    let options: WebhookOptions
    private let group: any EventLoopGroup
    private let tls: NIOSSLContext
    private let lookups: NameLookups

    /// Of an answer's body no more is read.
    static let bodyLimit = 16 * 1024
    private static let connectTimeout = TimeInterval.seconds(5)
    /// Of a name's addresses no more are tried.
    private static let addressesTried = 2

    init(_ options: WebhookOptions, on group: any EventLoopGroup) throws {
        self.options = options
        self.group = group
        lookups = NameLookups(options.resolve)
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = options.trust
        configuration.minimumTLSVersion = .tlsv12
        tls = try NIOSSLContext(configuration: configuration)
    }

    /// Posts `body`. Every trouble is a failure with a text for people; it never throws, and ends in time. The text is shown
    /// to the tenant, so it names no address: a name that the tenant has chosen may stand for one inside of the operator's
    /// network.
    /// - Returns: nil when nothing was tried, because this gateway had no place to look the name up in all that time.
    func post(
        _ body: [UInt8], headers: [(String, String)], to url: ReceiverURL, ofTenant tenantID: String
    ) async -> Verdict? {
        let deadline = NIODeadline.now() + .nanoseconds(Int64(options.timeout.nanoseconds))
        let addresses: [IPAddress]
        switch await checkedAddresses(of: url, tenantID) {
        case .success(let list): addresses = list
        case .failure(let failure) where failure.isOurs: return nil
        case .failure(let failure): return .failed(text: failure.text, retryAfter: nil)
        }
        var text = "has no address"
        for address in addresses.prefix(ReceiverClient.addressesTried) {
            let channel: any Channel
            do {
                channel = try await connect(to: address, url, until: deadline)
            } catch {
                text = "cannot be connected to: \(ReceiverClient.describe(connecting: error))"
                continue
            }
            return await exchange(on: channel, body, headers, url, until: deadline)
        }
        return .failed(text: text, retryAfter: nil)
    }

    /// Look-ups of names that are under way.
    var lookupUse: WebhookUse {
        get async { await lookups.use }
    }

    private struct Failure: Error {
        let text: String
        /// Whether it says nothing of the receiver.
        var isOurs = false
    }

    /// The addresses that may be connected to.
    private func checkedAddresses(
        of url: ReceiverURL, _ tenantID: String
    ) async -> Result<[IPAddress], Failure> {
        var addresses = url.address.map { [$0] } ?? []
        if url.address == nil {
            do {
                addresses = try await lookups.addresses(of: url.host, for: tenantID, within: options.timeout)
            } catch NameLookups.Failure.neverBegan {
                return .failure(Failure(text: "", isOurs: true))
            } catch {
                return .failure(Failure(text: "the name cannot be looked up: \(ReceiverClient.describe(error))"))
            }
        }
        guard !addresses.isEmpty else { return .failure(Failure(text: "the name has no address")) }
        guard options.policy.addressGuard.refusal(of: addresses) == nil else {
            return .failure(Failure(text: "refused: the name leads to an address that nothing is sent to"))
        }
        return .success(addresses)
    }

    private func connect(
        to address: IPAddress, _ url: ReceiverURL, until deadline: NIODeadline
    ) async throws -> any Channel {
        let left = deadline - NIODeadline.now()
        let limit = TimeAmount.nanoseconds(Int64(ReceiverClient.connectTimeout.nanoseconds))
        let (tls, host) = (tls, url.address == nil ? url.host : nil)
        return try await ClientBootstrap(group: group)
            .connectTimeout(max(.milliseconds(1), min(left, limit)))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if url.isSecure {
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: host))
                    }
                    try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
                }
            }
            .connect(to: SocketAddress(ipAddress: address.description, port: url.port)).get()
    }

    private func exchange(
        on channel: any Channel, _ body: [UInt8], _ headers: [(String, String)], _ url: ReceiverURL,
        until deadline: NIODeadline
    ) async -> Verdict {
        let promise = channel.eventLoop.makePromise(of: Verdict.self)
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: url.target)
        head.headers.add(name: "Host", value: url.authority)
        head.headers.add(name: "Content-Length", value: String(body.count))
        head.headers.add(name: "Connection", value: "close")
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        let timer = channel.eventLoop.scheduleTask(deadline: deadline) {
            promise.succeed(.failed(text: "did not answer in time", retryAfter: nil))
        }
        let request = head
        channel.eventLoop.execute {
            do {
                try channel.pipeline.syncOperations.addHandler(AnswerHandler(promise))
            } catch {
                promise.succeed(.failed(text: ReceiverClient.describe(error), retryAfter: nil))
                return
            }
            channel.write(HTTPClientRequestPart.head(request), promise: nil)
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
            channel.writeAndFlush(HTTPClientRequestPart.end(nil)).whenFailure { error in
                promise.succeed(.failed(text: ReceiverClient.describe(error), retryAfter: nil))
            }
        }
        let verdict = (try? await promise.futureResult.get()) ?? .failed(text: "broke off", retryAfter: nil)
        timer.cancel()
        channel.close(promise: nil)
        return verdict
    }

    /// Why there is no connection, without what it was to.
    private static func describe(connecting error: any Error) -> String {
        if case ChannelError.connectTimeout = error { return "no answer in time" }
        let code = (error as? IOError)?.errnoCode
        return code == ECONNREFUSED ? "the connection was refused" : "no connection can be made"
    }

    /// One line of bearable length.
    static func describe(_ error: any Error) -> String {
        let text = (error as? Failure)?.text ?? String(describing: error)
        return String(String(text.unicodeScalars.filter { $0.value >= 0x20 }.prefix(200)))
    }
}
