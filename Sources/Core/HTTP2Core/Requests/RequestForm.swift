/// What tells the requests of a template from plain ones, as a plain value: for a request nobody looks at the template.
struct RequestForm: BitwiseCopyable {
    var hole = HTTP2RequestTemplate.Hole.none
    /// Whether header fields of the answer are wanted.
    var asksForFields = false
    /// The number of bytes of the body, without a token in it.
    var bodyCount = 0

    /// Whether a request is a copy in which at most hex digits are written into the path, and its answer one of many.
    var isPlain: Bool {
        guard !asksForFields else { return false }
        return hole == .none || hole == .path(.hexadecimal)
    }

    /// The length on which the layout of an image depends. For a token in the path it is the length of the token; for a
    /// token in the body, the number of digits of `content-length`.
    func imageLength(_ tokenLength: Int) -> Int {
        switch hole {
        case .none: 0
        case .path: tokenLength
        case .body: ContentLength.digits(bodyCount + bodyGrowth(tokenLength))
        }
    }

    /// By how much a token of so many bytes makes the body longer.
    func bodyGrowth(_ tokenLength: Int) -> Int {
        if case .body(_, let spelling) = hole { spelling.size(tokenLength) } else { 0 }
    }
}
