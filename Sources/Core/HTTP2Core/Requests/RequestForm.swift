/// The properties of a template that a request needs, as a plain value without access to the template.
struct RequestForm: BitwiseCopyable {
    var hole = HTTP2RequestTemplate.Hole.none
    /// The number of bytes of the body, without a token in it.
    var bodyCount = 0

    /// True if a request is a copy with at most hex digits in its path.
    var isPlain: Bool { hole == .none || hole == .path(.hexadecimal) }

    /// The length on which the layout of an image depends. For a token in the path it is the length of the token; for a
    /// token in the body, the number of digits of `content-length`.
    func imageLength(_ tokenLength: Int) -> Int {
        switch hole {
        case .none: 0
        case .path: tokenLength
        case .body: ContentLength.digits(bodyCount + bodyGrowth(tokenLength))
        }
    }

    /// The size that a token adds to the body, in bytes.
    func bodyGrowth(_ tokenLength: Int) -> Int {
        if case .body(_, let spelling) = hole { spelling.size(tokenLength) } else { 0 }
    }
}
