/// A node's error reply that redirects or delays a command. The command had no effect.
enum ClusterAnswer: Equatable {
    /// Another node has the slot.
    case moved(UInt16, ClusterAddress)
    /// The slot is migrating, and its key is on the other node or does not exist.
    case ask(ClusterAddress)
    /// The command's keys are migrating and split over two nodes.
    case tryAgain
    /// The node cannot serve now: the cluster is down, it loads its data, or it has become a replica.
    case notNow

    private static let passing: Set<Substring> = ["CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY"]

    /// Returns nil for an error of the command itself.
    /// - Parameter asked: The host of the node that replied.
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
