import LoadTest

struct SilentObserver: LoadObserver {
    func began(_ step: String, total: Int?) {}
    func progressed(_ step: String, done: Int) {}
    func ended(_ step: String, note: String) {}
}
