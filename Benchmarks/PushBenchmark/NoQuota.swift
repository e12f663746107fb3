import Delivery
import TimeCore

/// A quota that grants every request in full.
final class NoQuota: SendQuota {
    func take(_ count: Int, completion: @escaping (SendQuotaReply) -> Void) {
        completion(.granted(count, wait: .zero))
    }

    func quotaExceeded(wait: TimeInterval) {}
    func slowDown() {}
}
