import Encodings
import EventCore
import GatewayStore
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Reactor
import TimeCore

/// Sends requests to receivers and reads the answers' status and beginning.
///
/// Each delivery resolves the receiver's name and checks the addresses. The connection goes to a checked address, or is
/// an earlier one to it, so later answers of a name server have no effect. Redirects are not followed. The certificate
/// must match the name.
struct ReceiverClient: Sendable {
    let options: WebhookOptions
    private let group: any EventLoopGroup
    /// Nil until a connection needs the system's authorities. Reading them takes longer than the rest of a start.
    private let tls: Locked<NIOSSLContext?>
    private let lookups: NameLookups
    private let connections = ReceiverConnections()

    /// The maximum number of bytes that are read of an answer's body.
    static let bodyLimit = 16 * 1024
    private static let connectTimeout = TimeInterval.seconds(5)
    /// The maximum number of a name's addresses that are tried.
    private static let addressesTried = 2

    init(_ options: WebhookOptions, on group: any EventLoopGroup) throws {
        self.options = options
        self.group = group
        lookups = NameLookups(options.resolve)
        tls = Locked(options.caFile == nil ? nil : try ReceiverClient.context(options.caFile))
    }

    private static func context(_ caFile: String?) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .default
        configuration.additionalTrustRoots = caFile.map { [.file($0)] } ?? []
        configuration.minimumTLSVersion = .tlsv12
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            guard caFile == nil else { throw error }
            // The system has no authorities. No receiver is trusted then, and each attempt reports it.
            configuration.trustRoots = .certificates([])
            return try NIOSSLContext(configuration: configuration)
        }
    }

    /// Trusts the authorities of this file besides the system's, from the next connection on.
    func trust(_ caFile: String?) throws {
        let context = try ReceiverClient.context(caFile)
        tls.withLock { $0 = context }
        connections.close()
    }

    private func presentContext() throws -> NIOSSLContext {
        if let present = tls.withLock({ $0 }) { return present }
        let made = try ReceiverClient.context(nil)
        return tls.withLock { present in
            let context = present ?? made
            present = context
            return context
        }
    }

    /// Posts `body`. Never throws, and returns in time. The tenant sees the text of a failure, so it contains no
    /// address: the name may resolve to one in the operator's network.
    /// - Returns: Nil if nothing was tried, because the lookup got no place in time.
    func post(
        _ body: [UInt8], headers: [(String, String)], to url: ReceiverURL, ofTenant tenantID: String
    ) async -> ReceiverReply? {
        let deadline = NIODeadline.now() + .nanoseconds(Int64(options.timeout.nanoseconds))
        let addresses: [IPAddress]
        switch await checkedAddresses(of: url, tenantID) {
        case .success(let list): addresses = list
        case .failure(.ours): return nil
        case .failure(.receivers(let failure)): return ReceiverReply(verdict: .failed(failure, retryAfter: nil))
        }
        let request = Request(body: body, headers: headers, url: url, deadline: deadline)
        var failure = AttemptFailure(.lookup, "the name has no address")
        for address in addresses.prefix(ReceiverClient.addressesTried) {
            let place = ReceiverConnections.Place(
                tenantID: tenantID, isSecure: url.isSecure, host: url.host, port: url.port, address: address)
            // A connection that the receiver has closed is no failure, so the next one is tried.
            while let connection = connections.take(place) {
                let reply = await exchange(on: connection, request, place)
                if reply.status != nil || reply.failure?.kind == .noAnswer { return reply }
            }
            do {
                return await exchange(on: try await connect(to: address, url, until: deadline), request, place)
            } catch {
                failure = AttemptFailure(connecting: error)
            }
        }
        return ReceiverReply(verdict: .failed(failure, retryAfter: nil))
    }

    /// Closes idle connections.
    func close() {
        connections.close()
    }

    /// The lookups in progress.
    var lookupUse: WebhookUse {
        get async { await lookups.use }
    }

    private struct Request: Sendable {
        let body: [UInt8]
        let headers: [(String, String)]
        let url: ReceiverURL
        let deadline: NIODeadline

        var head: HTTPRequestHead {
            var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: url.target)
            head.headers.add(name: "Host", value: url.authority)
            head.headers.add(name: "Content-Length", value: String(body.count))
            for (name, value) in headers { head.headers.add(name: name, value: value) }
            return head
        }
    }

    private enum Failure: Error {
        case receivers(AttemptFailure)
        /// The failure is not the receiver's.
        case ours
    }

    /// Returns the addresses to which connections are allowed.
    private func checkedAddresses(
        of url: ReceiverURL, _ tenantID: String
    ) async -> Result<[IPAddress], Failure> {
        var addresses = url.address.map { [$0] } ?? []
        if url.address == nil {
            do {
                addresses = try await lookups.addresses(of: url.host, for: tenantID, within: options.timeout)
            } catch NameLookups.Failure.neverBegan {
                return .failure(.ours)
            } catch {
                let reason = ReceiverClient.describe(error)
                return .failure(.receivers(AttemptFailure(.lookup, "the name cannot be resolved: \(reason)")))
            }
        }
        guard !addresses.isEmpty else {
            return .failure(.receivers(AttemptFailure(.lookup, "the name has no address")))
        }
        guard options.policy.addressGuard.refusal(of: addresses) == nil else {
            return .failure(
                .receivers(AttemptFailure(.address, "refused: the name resolves to an address that is not allowed")))
        }
        return .success(addresses)
    }

    private func connect(
        to address: IPAddress, _ url: ReceiverURL, until deadline: NIODeadline
    ) async throws -> ReceiverConnection {
        let left = deadline - NIODeadline.now()
        let limit = TimeAmount.nanoseconds(Int64(ReceiverClient.connectTimeout.nanoseconds))
        let context = url.isSecure ? try presentContext() : nil
        let host = url.address == nil ? url.host : nil
        return try await ClientBootstrap(group: group)
            .connectTimeout(max(.milliseconds(1), min(left, limit)))
            .connect(to: SocketAddress(ipAddress: address.description, port: url.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: host))
                    }
                    let bound = AnswerBound()
                    try pipeline.addHandler(bound)
                    try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
                    let answers = AnswerHandler(bound)
                    try pipeline.addHandler(answers)
                    return ReceiverConnection(
                        channel: channel, answers: NIOLoopBound(answers, eventLoop: channel.eventLoop))
                }
            }
    }

    private func exchange(
        on connection: ReceiverConnection, _ request: Request, _ place: ReceiverConnections.Place
    ) async -> ReceiverReply {
        let channel = connection.channel
        let promise = channel.eventLoop.makePromise(of: ReceiverReply.self)
        let timer = channel.eventLoop.scheduleTask(deadline: request.deadline) {
            promise.succeed(ReceiverReply(.noAnswer, "did not answer in time"))
        }
        channel.eventLoop.execute {
            // The handler also knows the reason of a connection that has ended.
            connection.answers.value.wait(promise, isActive: channel.isActive)
            channel.write(HTTPClientRequestPart.head(request.head), promise: nil)
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: request.body))), promise: nil)
            // The handler gets the errors of these writes with more detail.
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        }
        let reply = (try? await promise.futureResult.get()) ?? ReceiverReply(.connection, "broke off")
        timer.cancel()
        if reply.isReusable {
            connections.rest(connection, at: place)
        } else {
            channel.close(promise: nil)
        }
        return reply
    }

    /// Returns an error as one line of limited length.
    static func describe(_ error: any Error) -> String {
        String(String(String(describing: error).unicodeScalars.filter { $0.value >= 0x20 }.prefix(200)))
    }
}
