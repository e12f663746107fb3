/// The number of keys and arguments that a script accepts.
public struct RedisScriptArity: Equatable, Sendable {
    /// A number of values: required ones, optional ones, and any number of groups after them.
    public struct Count: Equatable, Sendable, CustomStringConvertible {
        /// The number of required values.
        public let required: Int
        /// The number of optional values.
        public let optional: Int
        /// The number of values in a group of the tail; nil without a tail.
        public let group: Int?

        public init(required: Int, optional: Int = 0, group: Int? = nil) {
            self.required = required
            self.optional = optional
            self.group = group
        }

        /// True if this number of values is valid.
        public func accepts(_ count: Int) -> Bool {
            guard let group else { return count >= required && count <= required + optional }
            return count >= required && (count - required) % group == 0
        }

        public var description: String {
            if let group { return group == 1 ? "\(required) or more" : "\(required) and any number of times \(group)" }
            return optional == 0 ? "\(required)" : "\(required) to \(required + optional)"
        }
    }

    /// The number of keys.
    public let keys: Count
    /// The number of arguments.
    public let arguments: Count

    public init(keys: Count, arguments: Count) {
        self.keys = keys
        self.arguments = arguments
    }
}

extension RedisScript {
    /// Returns the error in a call's number of keys and arguments; nil if it is valid, or if the script declares no
    /// arity.
    public func misfit(keys: Int, arguments: Int) -> String? {
        guard let arity else { return nil }
        if !arity.keys.accepts(keys) { return "\(self) takes \(arity.keys) keys, not \(keys)" }
        if !arity.arguments.accepts(arguments) { return "\(self) takes \(arity.arguments) arguments, not \(arguments)" }
        return nil
    }
}
