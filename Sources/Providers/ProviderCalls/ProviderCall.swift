/// A rare request to a provider other than a push, with an answer that is read.
public struct ProviderCall: Sendable {
    /// The HTTP method.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// A header field.
    public struct Field: Hashable, Sendable {
        /// The name in lower case (RFC 9113, section 8.2).
        public let name: String
        /// Visible ASCII characters, and blanks between them.
        public let value: String
        /// True to exclude the field from the peer's table (RFC 7541, section 7.1.3).
        public let isSecret: Bool

        public init(_ name: String, _ value: String, isSecret: Bool = false) {
            self.name = name
            self.value = value
            self.isSecret = isSecret
        }
    }

    /// The HTTP method.
    public let method: Method
    /// Begins with `/`.
    public let path: String
    /// The fields besides those that HTTP/2 requires, without `content-length`.
    public let fields: [Field]
    /// Empty for a request without one.
    public let body: [UInt8]
    /// The lower-case names of requested header fields of the answer.
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

/// A provider's answer with any status.
public struct ProviderAnswer: Hashable, Sendable {
    /// The HTTP status, 200 to 599.
    public let status: UInt16
    /// The requested fields as received, with names in lower case.
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

    /// The value of the first field with that name, if any.
    public subscript(field name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// The failure of a call without a readable answer.
public struct ProviderCallFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A reason for people.
    public let reason: String
    /// True if the provider may have processed the request.
    public let mayHaveBeenProcessed: Bool

    public init(_ reason: String, mayHaveBeenProcessed: Bool) {
        self.reason = reason
        self.mayHaveBeenProcessed = mayHaveBeenProcessed
    }

    public var description: String { reason }
}
