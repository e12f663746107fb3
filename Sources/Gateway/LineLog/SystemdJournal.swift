import Glibc
import Logging

/// The journal of systemd, to which standard error of a unit leads.
public enum SystemdJournal {
    /// True if a descriptor of this process is the journal's stream.
    /// - Parameters:
    ///   - name: `JOURNAL_STREAM` of the environment: device and inode of the stream (systemd.exec(5)).
    public static func isStream(_ descriptor: Int32, name: String?) -> Bool {
        name != nil && name == streamName(descriptor)
    }

    /// The device and inode of a descriptor as `JOURNAL_STREAM` has them; nil if it is not open.
    static func streamName(_ descriptor: Int32) -> String? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : nil
    }

    /// The priority in front of a line, by which `journalctl -p` selects (sd-daemon(3)).
    static func priority(_ level: Logger.Level) -> [UInt8] {
        let number =
            switch level {
            case .trace, .debug: 7
            case .info: 6
            case .notice: 5
            case .warning: 4
            case .error: 3
            case .critical: 2
            }
        return Array("<\(number)>".utf8)
    }
}
