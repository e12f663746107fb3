/// A request to a provider that is about no push: rare, and with an answer that is read.
public struct ProviderCall: Sendable {
    /// What is done at the path.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// A header field.
    public struct Field: Hashable, Sendable {
        /// In lower case (RFC 9113, section 8.2).
        public let name: String
        /// Visible ASCII characters, and blanks between them.
        public let value: String
        /// Whether it is kept out of the peer's table of fields (RFC 7541, section 7.1.3).
        public let isSecret: Bool

        public init(_ name: String, _ value: String, isSecret: Bool = false) {
            self.name = name
            self.value = value
            self.isSecret = isSecret
        }
    }

    /// What is done.
    public let method: Method
    /// Begins with `/`.
    public let path: String
    /// Besides those that HTTP/2 needs, and the length of the body.
    public let fields: [Field]
    /// Empty for a request without one.
    public let body: [UInt8]
    /// Names, in lower case, of header fields that are wanted of the answer.
    public let askedFields: [String]

    public init(
        _ method: Method, _ path: String, fields: [Field] = [], body: [UInt8] = [], askedFields: [String] = []
    ) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
        self.askedFields = askedFields
    }
}

/// What a provider answered, whatever the status.
public struct ProviderAnswer: Hashable, Sendable {
    /// The HTTP status, 200 to 599.
    public let status: UInt16
    /// The fields that were asked for, as they came: names in lower case.
    public let fields: [ProviderCall.Field]
    /// The whole body.
    public let body: [UInt8]
    /// `Retry-After`, in seconds.
    public let retryAfter: UInt32?

    public init(status: UInt16, fields: [ProviderCall.Field] = [], body: [UInt8] = [], retryAfter: UInt32? = nil) {
        self.status = status
        self.fields = fields
        self.body = body
        self.retryAfter = retryAfter
    }

    /// The value of the first field of that name; nil when there is none.
    public subscript(field name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// Why a call has no answer that could be read.
public struct ProviderCallFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// For people.
    public let reason: String
    /// Whether the provider may have done what was asked.
    public let mayHaveBeenProcessed: Bool

    public init(_ reason: String, mayHaveBeenProcessed: Bool) {
        self.reason = reason
        self.mayHaveBeenProcessed = mayHaveBeenProcessed
    }

    public var description: String { reason }
}
