import HTTPTypes
import Instrumentation

/// Reads a caller's trace context from a request's fields, for example `traceparent` (W3C Trace Context).
struct HeaderExtractor: Extractor {
    func extract(key: String, from fields: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { fields[$0] }
    }
}

/// Writes and reads the trace context that is stored with a broadcast.
public struct TraceDictionary: Extractor, Injector {
    public init() {}

    /// See `Extractor`.
    public func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }

    /// See `Injector`.
    public func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key] = value
    }
}
