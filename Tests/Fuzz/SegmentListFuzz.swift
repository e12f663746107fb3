// Feeds arbitrary lists of insider_ids to their parser, coverage-guided: see JSONFuzz.swift.

import LiveActivity

/// Called once for each input: its first byte chooses the format and how the rest is cut. A trap is a finding; so is a
/// list that is read differently when it is cut, or an id that no device can have.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let choice = bytes.first else { return 0 }
    let list = Array(bytes.dropFirst())
    let format = choice & 1 == 0 ? InsiderIDListParser.Format.csv : .jsonLines
    let whole = outcome(list, format, cut: max(1, list.count))
    precondition(outcome(list, format, cut: Int(choice >> 1) + 1) == whole)
    if case .success(let run) = whole {
        var ids = 0
        run.forEach { id in
            ids += 1
            precondition((1...DeviceKey.maximumLength).contains(id.count) && !id.contains(0))
            precondition(String(validating: id, as: UTF8.self) != nil)
        }
        precondition(ids == run.count)
    } else if case .failure(let error) = whole {
        precondition((1...(list.count { $0 == 0x0A } + 1)).contains(error.line), "\(error)")
    }
    return 0
}

private func outcome(
    _ list: [UInt8], _ format: InsiderIDListParser.Format, cut: Int
) -> Result<InsiderIDRun, InsiderIDListError> {
    var parser = InsiderIDListParser(format)
    var run = InsiderIDRun()
    do throws(InsiderIDListError) {
        for start in stride(from: 0, to: list.count, by: cut) {
            try parser.parse(list[start..<min(list.count, start + cut)], into: &run)
        }
        try parser.finish(into: &run)
    } catch {
        return .failure(error)
    }
    return .success(run)
}
