public import FeedCore

extension GatewayConfiguration {
    /// A URL that is polled: an element of `topics.feeds`.
    public struct Feed: Sendable, Equatable {
        /// Its place in the list, from 0 on: its name in keys, metrics and the log.
        public var number: Int
        /// `topics.feeds.<number>.tenant`: the id of the tenant whose topics it speaks of.
        public var tenant: String
        /// `topics.feeds.<number>.url`: `https://`, or `http://` on this machine. Its query may hold a secret.
        public var url: String
        /// `topics.feeds.<number>.interval`: from one poll to the next.
        public var interval = Duration.seconds(30)
        /// `topics.feeds.<number>.timeout`: how long the whole answer may take.
        public var timeout = Duration.seconds(10)
        /// `topics.feeds.<number>.max_bytes`: a longer answer is refused.
        public var maxBytes = 2 * 1024 * 1024
        /// `topics.feeds.<number>.headers_file`: lines of `Name: value` that each request has.
        public var headersFile: String?
        /// `topics.feeds.<number>.ca_file`: certificates (PEM) to trust in place of the system's.
        public var caFile: String?

        public init(number: Int, tenant: String, url: String) {
            self.number = number
            self.tenant = tenant
            self.url = url
        }

        /// Reads `headers_file`; none without one. Blocks for the time of reading a small file.
        public func headers() throws(FeedHeaders.Invalid) -> FeedHeaders {
            guard let headersFile else { return FeedHeaders() }
            return try FeedChecks.headers(headersFile).headers
        }
    }
}
