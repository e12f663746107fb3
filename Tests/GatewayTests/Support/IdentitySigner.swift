import Encodings
import LiveActivity
import Secrets
import TimeCore

/// The header with which a tenant's server vouches for a device.
enum IdentitySigner {
    static func one(_ insiderID: String, _ secret: String) -> [String: String] {
        header(digest(Array(insiderID.utf8), secret))
    }

    static func two(_ device: DeviceKey, until expiry: Int64, _ secret: String) -> [String: String] {
        let (user, udid) = (Array(device.insiderID.utf8), Array(device.udid.utf8))
        let message =
            [0xFF] + Array("v2.\(expiry).\(user.count):".utf8) + user + Array(".\(udid.count):".utf8) + udid
        return header("v2.\(expiry).\(digest(message, secret))")
    }

    static func header(_ signature: String) -> [String: String] { ["X-Identity-Signature": signature] }

    private static func digest(_ message: [UInt8], _ secret: String) -> String {
        Hexadecimal.encode(Digest.hmacSHA256(key: Array(secret.utf8), message))
    }
}

extension TestStage {
    /// Returns a signature of version 2 that is valid for an hour.
    func signed(_ device: DeviceKey) -> [String: String] {
        IdentitySigner.two(device, until: WallTime.now().seconds + 3600, identitySecret)
    }
}
