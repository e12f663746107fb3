/// The kinds of error reply with which a server refuses a command.
public enum RedisRefusal: Int, CaseIterable, Sendable, CustomStringConvertible {
    /// The server's memory limit is reached (OOM).
    case outOfMemory
    /// The server cannot write to its disk (MISCONF).
    case cannotPersist
    /// The server has fewer replicas than required (NOREPLICAS).
    case tooFewReplicas
    /// The server is a replica (READONLY), or became one while the command waited (UNBLOCKED).
    case readOnly
    /// A script or function blocks the server (BUSY).
    case busy
    /// The server cannot serve now: it loads its data, has lost its master, or its cluster has no node for the slot.
    case notServing
    /// The user may not run the command, or not with these keys (NOPERM).
    case noPermission
    /// A key holds a value of another type (WRONGTYPE).
    case wrongType
    /// Any other error.
    case other

    /// The label in metrics.
    public var description: String {
        switch self {
        case .outOfMemory: "oom"
        case .cannotPersist: "misconf"
        case .tooFewReplicas: "noreplicas"
        case .readOnly: "readonly"
        case .busy: "busy"
        case .notServing: "loading"
        case .noPermission: "noperm"
        case .wrongType: "wrongtype"
        case .other: "other"
        }
    }

    private static let codes: [String: RedisRefusal] = [
        "OOM": .outOfMemory, "MISCONF": .cannotPersist, "NOREPLICAS": .tooFewReplicas, "READONLY": .readOnly,
        "BUSY": .busy, "LOADING": .notServing, "MASTERDOWN": .notServing, "CLUSTERDOWN": .notServing,
        "TRYAGAIN": .notServing, "UNBLOCKED": .readOnly, "NOPERM": .noPermission, "WRONGTYPE": .wrongType,
    ]
    /// True if the server refuses every write at the moment; the refused command had no effect.
    var isPassing: Bool { self == .readOnly || self == .notServing }

    /// The errors of scripts that lack a right.
    private static let scriptRights = ["The user executing the script can't", "ACL failure in script"]

    /// The kind of an error reply. Older servers embed a command's error in their text about the script.
    public init(errorReply message: String) {
        let code = String(message.prefix { $0 != " " })
        if let kind = RedisRefusal.codes[code] {
            self = kind
        } else if RedisRefusal.scriptRights.contains(where: message.contains) {
            self = .noPermission
        } else if let inner = RedisRefusal.codes.first(where: { message.contains(": -\($0.key) ") }) {
            self = inner.value
        } else {
            self = .other
        }
    }

    /// An error reply for display: without the arguments that some replies contain, and at most 240 characters.
    public static func words(_ message: String) -> String {
        let end = message.range(of: ", with args beginning with")?.lowerBound ?? message.endIndex
        return String(message[..<end].prefix(240))
    }
}

extension String {
    fileprivate func range(of text: String) -> Range<String.Index>? {
        let wanted = Array(text.utf8)
        var start = utf8.startIndex
        while let end = utf8.index(start, offsetBy: wanted.count, limitedBy: utf8.endIndex) {
            if utf8[start..<end].elementsEqual(wanted) { return start..<end }
            start = utf8.index(after: start)
        }
        return nil
    }
}
