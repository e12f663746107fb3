/// How many keys and arguments a script takes.
public struct RedisScriptArity: Equatable, Sendable {
    /// A number of values: some that must be there, some that may be, and any number of groups behind them.
    public struct Count: Equatable, Sendable, CustomStringConvertible {
        /// How many values must be there.
        public let required: Int
        /// How many more may be.
        public let optional: Int
        /// How many values a group of the tail has; nil when there is no tail.
        public let group: Int?

        public init(required: Int, optional: Int = 0, group: Int? = nil) {
            self.required = required
            self.optional = optional
            self.group = group
        }

        /// Whether so many values fit.
        public func accepts(_ count: Int) -> Bool {
            guard let group else { return count >= required && count <= required + optional }
            return count >= required && (count - required) % group == 0
        }

        public var description: String {
            if let group { return group == 1 ? "\(required) or more" : "\(required) and any number of times \(group)" }
            return optional == 0 ? "\(required)" : "\(required) to \(required + optional)"
        }
    }

    /// How many keys it takes.
    public let keys: Count
    /// How many arguments it takes.
    public let arguments: Count

    public init(keys: Count, arguments: Count) {
        self.keys = keys
        self.arguments = arguments
    }
}

extension RedisScript {
    /// What is wrong with a call that has so many keys and arguments; nil when the script takes them, or does not say
    /// what it takes.
    public func misfit(keys: Int, arguments: Int) -> String? {
        guard let arity else { return nil }
        if !arity.keys.accepts(keys) { return "\(self) takes \(arity.keys) keys, not \(keys)" }
        if !arity.arguments.accepts(arguments) { return "\(self) takes \(arity.arguments) arguments, not \(arguments)" }
        return nil
    }
}
