/// What tells the requests of a template from plain ones, as a plain value: for a request nobody looks at the template.
struct RequestForm: BitwiseCopyable {
    var hole = HTTP2RequestTemplate.Hole.none
    /// Whether header fields of the answer are wanted.
    var asksForFields = false

    /// Whether a request is a copy in which at most hex digits are written into the path, and its answer one of many.
    var isPlain: Bool {
        guard !asksForFields else { return false }
        return hole == .none || hole == .path(.hexadecimal)
    }

    /// The length of token that an image is rendered for. One image serves tokens of all lengths where they do not stand
    /// in the path, as no length on the wire changes but that of the DATA frame.
    func imageLength(_ tokenLength: Int) -> Int {
        if case .path = hole { tokenLength } else { 0 }
    }

    /// By how much a token of so many bytes makes the body longer.
    func bodyGrowth(_ tokenLength: Int) -> Int {
        if case .body(_, let spelling) = hole { spelling.size(tokenLength) } else { 0 }
    }
}
