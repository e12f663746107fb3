import Demo
final class DemoDisplay: DemoObserver {
    init(isSilent: Bool) {}
    func began(_ step: String, total: Int?) { StandardError.print("\(step) ...") }
    func progressed(_ step: String, done: Int) {}
    func ended(_ step: String, note: String) { StandardError.print("\(step) \(note)") }
    func finish() {}
    func summary(_ report: DemoReport) -> String { "\(report)" }
}
final class ImportDisplay {
    init(total: Int, isSilent: Bool) {}
    func progressed(_ bytes: Int) {}
    func finish() {}
}
