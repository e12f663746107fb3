// Feeds the HTTP/2 engine stories of connections, coverage-guided. On Linux, from the package's root:
//
//     make fuzz
//
// New inputs are kept in the first folder. The process ends with an error on the first finding and leaves the input
// in a file under .build. What a story is says FuzzCase.swift, which the tests share.

/// Called once for each input. A trap is a finding; so is a rule of the engine's that a story breaks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let violation = FuzzCase.violation([UInt8](UnsafeBufferPointer(start: start, count: count)))
    precondition(violation == nil, violation ?? "")
    return 0
}
