/// The commands that a client's user must be allowed, each as one call that does no harm. All use the same key.
public struct RedisRights: Sendable {
    /// The key of the samples.
    public let key: String
    /// Name and arguments of each command.
    public let samples: [[String]]

    public init(key: String, samples: [[String]]) {
        self.key = key
        self.samples = samples
    }

    /// Asks the server whether the user might run a sample (ACL DRYRUN, from Redis 7).
    func dryRun(_ sample: [String], user: String) -> RedisCommand {
        RedisCommand("ACL", arguments: ["DRYRUN", user] + sample).asProbe()
    }

    /// What `ACL SETUSER` is told to allow them all, in alphabetical order.
    public var rules: [String] { Set(samples.map(RedisRights.name)).sorted().map { "+\($0)" } }

    /// What a sample's command is called in a rule: those that only hold others, with the one of them.
    static func name(_ sample: [String]) -> String {
        let words = sample.prefix(containers.contains(sample.first ?? "") ? 2 : 1)
        return words.joined(separator: "|").lowercased()
    }

    private static let containers: Set = ["SCRIPT", "XGROUP"]
    /// What no script may run, whatever its user may: asked by itself.
    private static let outsideScripts: Set = ["EVAL", "EVALSHA", "SCRIPT"]

    private func isCanarys(_ sample: [String]) -> Bool { !RedisRights.outsideScripts.contains(sample.first ?? "") }

    /// Those that the canary runs.
    var canarySamples: [[String]] { samples.filter(isCanarys) }

    /// Those that are sent by themselves beside the canary, whose own right is that of EVAL.
    var singleSamples: [[String]] { samples.filter { !isCanarys($0) && $0.first != "EVAL" } }

    /// Runs samples for servers that do not know, or do not tell, what a user may do. Leaves nothing behind.
    var canary: RedisCommand {
        var arguments = [RedisRights.canarySource, "1", key]
        for sample in canarySamples { arguments += [String(sample.count)] + sample }
        return RedisCommand("EVAL", arguments: arguments).asProbe()
    }

    /// KEYS: the key of the samples. ARGV: each sample, its length before it. Reply: the numbers of those that are
    /// denied.
    private static let canarySource = """
        local denied, index, number = {}, 1, 0
        while index <= #ARGV do
            local length = tonumber(ARGV[index])
            local reply = redis.pcall(unpack(ARGV, index + 1, index + length))
            local words = type(reply) == 'table' and reply.err
            if words and (string.find(words, 'NOPERM', 1, true) or string.find(words, 'executing the script', 1, true)
                or string.find(words, 'ACL failure', 1, true)) then
                denied[#denied + 1] = number
            end
            -- Should the one be denied, the other is not.
            redis.pcall('PEXPIRE', KEYS[1], 1000)
            redis.pcall('DEL', KEYS[1])
            index = index + 1 + length
            number = number + 1
        end
        return denied
        """

    /// What a reply to `dryRun` says.
    enum Answer: Equatable {
        case allowed, denied, unknown
    }

    static func answer(_ reply: RedisValue) -> Answer {
        guard let text = reply.string else { return .unknown }
        if text == "OK" { return .allowed }
        return text.contains("no permissions") ? .denied : .unknown
    }
}

/// What a user lacks.
public struct MissingRights: Equatable, Sendable {
    /// The user's name.
    public let user: String
    /// Names of commands, in small letters, in alphabetical order.
    public let commands: [String]
    private let key: String

    init?(user: String, denied: [[String]], key: String) {
        guard !denied.isEmpty else { return nil }
        self.user = user
        self.key = key
        commands = Set(denied.map(RedisRights.name)).sorted()
    }

    /// The command that gives them.
    public var remedy: String {
        let prefix = key.prefix { $0 != ":" }
        return "ACL SETUSER \(user) ~\(prefix):* " + commands.map { "+\($0)" }.joined(separator: " ")
    }

    /// The error of a script that is not sent, as the server would word it.
    var refusal: String {
        "NOPERM the user \(user) may not run \(commands.joined(separator: ", ")) here, so no script is sent: \(remedy)"
    }
}

/// Finds out which of its rights a user lacks, on one connection: each is asked for by a dry run; when none of these is
/// answered, the canary is sent, and by itself what no script may run. On the reactor.
final class RedisRightsCheck {
    enum Outcome: Equatable {
        case complete
        case missing(MissingRights)
        /// The server did not say.
        case unknown
    }

    private let rights: RedisRights
    private let user: String
    private let send: (RedisCommand, ReplySink) -> Void
    private let completion: (Outcome) -> Void
    private var open: Int
    private var answers = 0
    private var denied: [[String]] = []

    /// - Parameter send: gives a command to the connection.
    init(
        _ rights: RedisRights, user: String?, send: @escaping (RedisCommand, ReplySink) -> Void,
        completion: @escaping (Outcome) -> Void
    ) {
        self.rights = rights
        self.user = user ?? "default"
        self.send = send
        self.completion = completion
        open = rights.samples.count
    }

    /// Calls `completion` once, unless the connection ends before.
    func run() {
        guard open > 0 else { return completion(.complete) }
        for sample in rights.samples {
            send(
                rights.dryRun(sample, user: user),
                .view { [self] result in
                    switch (try? result.get()).map({ RedisRights.answer($0.copy()) }) ?? .unknown {
                    case .allowed: answers += 1
                    case .denied:
                        answers += 1
                        denied.append(sample)
                    case .unknown: break
                    }
                    open -= 1
                    if open == 0 { dryRunsEnded() }
                })
        }
    }

    private func dryRunsEnded() {
        guard answers == 0 else { return finish() }
        // Any error but one is that of a command that is allowed: NOSCRIPT.
        for sample in rights.singleSamples {
            send(
                RedisCommand(sample[0], arguments: Array(sample.dropFirst())).asProbe(),
                .view { [self] result in
                    if case .failure(let error) = result, error.refusal == .noPermission { denied.append(sample) }
                })
        }
        // Answered last, as it is sent last.
        send(
            rights.canary,
            .view { [self] result in
                switch result {
                case .success(let reply):
                    let samples = rights.canarySamples
                    for element in reply.elements {
                        guard let number = element.integer, samples.indices.contains(Int(number)) else { continue }
                        denied.append(samples[Int(number)])
                    }
                    finish()
                case .failure(let error) where error.refusal == .noPermission:
                    denied.append(["EVAL"])
                    finish()
                case .failure: denied.isEmpty ? completion(.unknown) : finish()
                }
            })
    }

    private func finish() {
        // Some were answered, and then the connection ended.
        if answers > 0, answers < rights.samples.count, denied.isEmpty { return completion(.unknown) }
        completion(MissingRights(user: user, denied: denied, key: rights.key).map { .missing($0) } ?? .complete)
    }
}
