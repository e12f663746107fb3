/// What a node's error reply says about where or when a command can be carried out. The command had no effect.
enum ClusterAnswer: Equatable {
    /// The slot is another node's.
    case moved(UInt16, ClusterAddress)
    /// The slot is on its way to another node, and the key is there already or nowhere.
    case ask(ClusterAddress)
    /// The keys of the command are on their way, some here and some there.
    case tryAgain
    /// The node cannot serve now: the cluster is down, it loads its data, it has become a replica.
    case notNow

    private static let passing: Set<Substring> = ["CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY"]

    /// Nil for an error of the command's own.
    /// - Parameter asked: the host of the node that replied.
    init?(_ message: String, asked: String) {
        let words = message.split(separator: " ", maxSplits: 3)
        switch words.first {
        case "MOVED", "ASK":
            guard words.count >= 3, let slot = UInt16(words[1]), slot < ClusterSlot.count,
                let address = ClusterAddress(words[2], asked: asked)
            else { return nil }
            self = words[0] == "ASK" ? .ask(address) : .moved(slot, address)
        case "TRYAGAIN": self = .tryAgain
        case let code? where ClusterAnswer.passing.contains(code): self = .notNow
        default: return nil
        }
    }
}
