import Delivery
import GatewayAPI
import GatewayStore
public import Logging
import PushClient
import Reactor
import RedisClient
import TimeCore
import Webhooks

/// Checks everything that a gateway with certain options would rest on: Redis, the keys, the providers, the
/// certificate. Takes no work and listens nowhere. Writes nothing but the provider token that gateways share, and
/// nothing at all into a Redis without a store.
public enum GatewayDoctor {
    /// The time within which a connection must come about.
    private static let connectTimeout = TimeInterval.milliseconds(1800)
    /// The time that a provider has for its answer once it is connected.
    private static let answerTimeout = TimeInterval.seconds(8)
    /// A certificate that is valid for no longer is warned of.
    private static let lastDays = 14

    /// Returns the findings, also if Redis or a provider cannot be reached. Ends within half a minute.
    public static func examine(_ options: GatewayOptions, logger: Logger) async throws -> [Finding] {
        let reactor = try Reactor(name: "fanfare-doctor")
        defer { reactor.stop() }
        var redisOptions = RedisClientOptions()
        redisOptions.commandDeadline = options.redisTimeout
        redisOptions.connectDeadline = connectTimeout
        redisOptions.scripts = GatewayStore.scripts
        redisOptions.rights = GatewayStore.rights
        let redis = RedisClient(reactor: reactor, endpoint: options.redis, options: redisOptions)
        let clock = StoreClock(
            maximumSkew: options.surveillance.maximumClockSkew, local: options.surveillance.machineClock)
        let store = GatewayStore(
            redis: redis, wallClock: { clock.now }, rules: options.rules, sealer: try Gateway.sealer(options),
            identity: options.identitySecrets)
        var findings = certificate(options)
        let (found, isStore) = await stored(store, clock, options)
        findings += found
        findings += await providers(
            options, reactor, store,
            sharedTokens: isStore ? StoredProviderTokens(store) { _ in } : UnsharedProviderTokens(), logger)
        await redis.shutdown()
        return findings
    }

    private static func certificate(_ options: GatewayOptions) -> [Finding] {
        guard let tls = options.tls else { return [] }
        let subject = "http.tls_certificate_file"
        do throws(ListenerCertificate.Unusable) {
            let days = (try ListenerCertificate(tls, now: .now()).notAfter - WallTime.now().seconds) / 86_400
            let text = "the listener's certificate is valid for \(days) days"
            return [
                days < lastDays
                    ? Finding(subject, .warning, text, remedy: "renew it; gateways reload it automatically")
                    : Finding(subject, .good, text)
            ]
        } catch {
            return [Finding(subject, .error, "\(error)", remedy: "name a valid certificate and its key")]
        }
    }

    // MARK: Redis

    /// - Returns: the findings; true if Redis has a store that this version knows.
    private static func stored(
        _ store: GatewayStore, _ clock: StoreClock, _ options: GatewayOptions
    ) async -> ([Finding], isStore: Bool) {
        let end = MonotonicTime.now() + connectTimeout
        var problem: StoreError?
        repeat {
            do throws(StoreError) {
                let isStore = try await store.layout.read()
                await store.sample(clock)
                let layout = isStore ? "the store has layout \(StoredLayout.supported)" : "the store is empty"
                let findings =
                    [Finding("redis", .good, "\(options.redis) answers"), Finding("redis.layout", .good, layout)]
                    + (await facts(store, clock, options)) + (await secrets(store, options))
                return (findings, isStore)
            } catch .unsupportedLayout(let number) {
                let error = StoreError.unsupportedLayout(number)
                let isLater = number.map { $0 > StoredLayout.supported } ?? false
                let remedy = isLater ? "run that version on this machine" : "set redis.url to an empty database"
                return ([Finding("redis.layout", .error, "\(error)", remedy: remedy)], false)
            } catch {
                problem = error
                guard error.refusal == nil || error.refusal == .notServing, ConnectionCause("\(error)").mayPass else {
                    break
                }
                try? await Task.sleep(for: .milliseconds(200))
            }
        } while MonotonicTime.now() < end
        let reason = problem.map { "\($0)" } ?? "no answer"
        let remedy = ConnectionCause(reason).remedyForRedis
        return ([Finding("redis", .error, "\(options.redis): \(reason)", remedy: remedy)], false)
    }

    private static func facts(_ store: GatewayStore, _ clock: StoreClock, _ options: GatewayOptions) async -> [Finding]
    {
        guard var facts = await store.facts() else {
            return [Finding("redis", .warning, "Redis disconnected during the check", remedy: "try again")]
        }
        facts.clockSkew = clock.skew
        facts.maximumClockSkew = options.surveillance.maximumClockSkew
        return facts.checks.map { check in
            guard check.name == .clock, check.finding == .good, let skew = facts.clockSkew else {
                return Finding(check)
            }
            return Finding("redis.clock", .good, "this machine's clock differs from Redis's by \(skew.magnitude) ms")
        }
    }

    private static func secrets(_ store: GatewayStore, _ options: GatewayOptions) async -> [Finding] {
        do throws(StoreError) {
            var found = SealingFindings(identity: try await store.tenants.identitySealing())
            if let secrets = options.webhooks.policy.secrets {
                found.webhooks = try await store.webhooks.sealing(with: secrets)
            }
            guard let reason = found.reason(options.sealingKey) else {
                return [Finding("secrets", .good, "all sealed secrets in Redis can be decrypted")]
            }
            return [
                Finding(
                    "secrets", reason.isBlocking ? .error : .warning, found.text(options.sealingKey),
                    remedy: SealingFindings.remedy(options.sealingKey))
            ]
        } catch {
            return [Finding("secrets", .unknown, "the secrets cannot be read: \(error)")]
        }
    }

    // MARK: Providers

    private static func providers(
        _ options: GatewayOptions, _ reactor: Reactor, _ store: GatewayStore,
        sharedTokens: any SharedProviderTokens, _ logger: Logger
    ) async -> [Finding] {
        let wiring: ProviderWiring
        do {
            wiring = try ProviderWiring(options, reactor, store, sharedTokens: sharedTokens, logger: logger)
        } catch {
            return [Finding("provider", .error, "the connections cannot be configured: \(error)")]
        }
        var findings: [Finding] = []
        var tried: Set<ObjectIdentifier> = []
        for (client, probe) in wiring.probes where tried.insert(ObjectIdentifier(client)).inserted {
            let key = client.identity.account.labels.last.map { " (\($0.name) \($0.value))" } ?? ""
            findings.append(Finding(await verdict(client, probe), of: "\(client.options.url)\(key)"))
        }
        for client in wiring.clients { await client.shutdown(deadline: .milliseconds(100)) }
        return findings
    }

    /// A client without a connection goes on trying, so the time for one is bounded here.
    private static func verdict(_ client: PushClient, _ probe: ProbePush) async -> CredentialVerdict {
        let (verdicts, verdict) = AsyncStream<CredentialVerdict>.makeStream(bufferingPolicy: .bufferingOldest(1))
        Task { verdict.yield(await client.probeCredential(probe)) }
        let limit = Task<Void, Never> {
            try? await Task.sleep(for: connectTimeout.duration)
            let state = await client.snapshot()
            guard state.connections.contains(where: { $0.state == .ready }) else {
                let reason = state.lastFailure ?? "no connection within \(connectTimeout.millisecondsRoundedUp) ms"
                verdict.yield(.noConnection(reason))
                return
            }
            try? await Task.sleep(for: answerTimeout.duration)
            verdict.yield(.noAnswer("no answer in time"))
        }
        defer { limit.cancel() }
        return await verdicts.first { _ in true } ?? .noAnswer("no answer")
    }
}
