/// The commands that a client's user must be allowed to run, each with a harmless sample call. All use the same key.
public struct RedisRights: Sendable {
    /// The key of the samples.
    public let key: String
    /// The name and arguments of each command.
    public let samples: [[String]]

    public init(key: String, samples: [[String]]) {
        self.key = key
        self.samples = samples
    }

    /// A query whether the user may run a sample (ACL DRYRUN, from Redis 7).
    func dryRun(_ sample: [String], user: String) -> RedisCommand {
        RedisCommand("ACL", arguments: ["DRYRUN", user] + sample).asProbe()
    }

    /// The `ACL SETUSER` rules that allow all commands, in alphabetical order.
    public var rules: [String] { Set(samples.map(RedisRights.name)).sorted().map { "+\($0)" } }

    /// The name of a sample's command in a rule. A container command includes its subcommand.
    static func name(_ sample: [String]) -> String {
        let words = sample.prefix(containers.contains(sample.first ?? "") ? 2 : 1)
        return words.joined(separator: "|").lowercased()
    }

    private static let containers: Set = ["SCRIPT", "XGROUP"]
    /// Commands that no script may run. They are checked separately.
    private static let outsideScripts: Set = ["EVAL", "EVALSHA", "SCRIPT"]

    private func isCanarys(_ sample: [String]) -> Bool { !RedisRights.outsideScripts.contains(sample.first ?? "") }

    /// The samples that the canary runs.
    var canarySamples: [[String]] { samples.filter(isCanarys) }

    /// The samples that are sent separately from the canary, whose own right is that of EVAL.
    var singleSamples: [[String]] { samples.filter { !isCanarys($0) && $0.first != "EVAL" } }

    /// Runs samples on servers that cannot report a user's rights. Leaves no data behind.
    var canary: RedisCommand {
        var arguments = [RedisRights.canarySource, "1", key]
        for sample in canarySamples { arguments += [String(sample.count)] + sample }
        return RedisCommand("EVAL", arguments: arguments).asProbe()
    }

    /// KEYS: the key of the samples. ARGV: each sample, its length before it. Reply: the numbers of the denied samples.
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

    /// The meaning of a reply to `dryRun`.
    enum Answer: Equatable {
        case allowed, denied, unknown
    }

    static func answer(_ reply: RedisValue) -> Answer {
        guard let text = reply.string else { return .unknown }
        if text == "OK" { return .allowed }
        return text.contains("no permissions") ? .denied : .unknown
    }
}

/// The rights that a user lacks.
public struct MissingRights: Equatable, Sendable {
    /// The user's name.
    public let user: String
    /// The names of commands in lower case, in alphabetical order.
    public let commands: [String]
    private let key: String

    init?(user: String, denied: [[String]], key: String) {
        guard !denied.isEmpty else { return nil }
        self.user = user
        self.key = key
        commands = Set(denied.map(RedisRights.name)).sorted()
    }

    /// The command that grants the missing rights.
    public var remedy: String {
        let prefix = key.prefix { $0 != ":" }
        return "ACL SETUSER \(user) ~\(prefix):* " + commands.map { "+\($0)" }.joined(separator: " ")
    }

    /// The error of a script that is not sent, in the server's form.
    var refusal: String {
        "NOPERM the user \(user) may not run \(commands.joined(separator: ", ")) here, so no script is sent: \(remedy)"
    }
}

/// Determines the rights that a user lacks, on one connection. It sends a dry run for each sample. If none is answered,
/// it sends the canary, and separately the commands that no script may run. On the reactor.
final class RedisRightsCheck {
    enum Outcome: Equatable {
        case complete
        case missing(MissingRights)
        /// The server did not report the rights.
        case unknown
    }

    private let rights: RedisRights
    private let user: String
    private let send: (RedisCommand, ReplySink) -> Void
    private let completion: (Outcome) -> Void
    private var open: Int
    private var answers = 0
    private var denied: [[String]] = []

    /// - Parameter send: Sends a command on the connection.
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

    /// Calls `completion` once, unless the connection ends first.
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
        // Any other error, for example NOSCRIPT, comes from a command that is allowed.
        for sample in rights.singleSamples {
            send(
                RedisCommand(sample[0], arguments: Array(sample.dropFirst())).asProbe(),
                .view { [self] result in
                    if case .failure(let error) = result, error.refusal == .noPermission { denied.append(sample) }
                })
        }
        // Answered last because it is sent last.
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
        // The connection ended after some answers.
        if answers > 0, answers < rights.samples.count, denied.isEmpty { return completion(.unknown) }
        completion(MissingRights(user: user, denied: denied, key: rights.key).map { .missing($0) } ?? .complete)
    }
}
