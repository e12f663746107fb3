import Delivery
import TimeCore

/// Leave for whatever is asked.
final class NoQuota: SendQuota {
    func take(_ count: Int, completion: @escaping (SendQuotaReply) -> Void) {
        completion(.granted(count, wait: .zero))
    }

    func quotaExceeded(wait: TimeInterval) {}
    func slowDown() {}
}
