import CLinux
import Glibc

/// A child in a process group of its own, so that a Ctrl-C at the terminal does not reach it.
enum ChildProcess {
    /// Starts the program with its output in the file `log`. Returns the process, or an errno.
    static func start(_ arguments: [String], log: String) -> (process: pid_t, status: Int32) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        fanfare_spawn_close_from(&actions, 3)
        // The child shall not inherit signals that a thread of ours blocks or ignores.
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var vector = arguments.map { strdup($0) }
        vector.append(nil)
        defer { for argument in vector { free(argument) } }
        var process = pid_t()
        // The child inherits the mask. Files that other threads create meanwhile only get narrower rights.
        let usual = umask(PrivateFiles.mask)
        defer { umask(usual) }
        let status = posix_spawnp(&process, arguments[0], &actions, &attributes, vector, environ)
        return (process, status)
    }

    /// Reaps a child that has ended, and describes its end; returns nil while the child runs.
    static func end(of process: pid_t) -> String? {
        var status: Int32 = 0
        let result = waitpid(process, &status, WNOHANG)
        if result < 0, errno == ECHILD { return "its exit status was read by another part of the process" }
        guard result == process else { return nil }
        // The bits that WIFSIGNALED, WTERMSIG and WEXITSTATUS read.
        let signal = status & 0x7F
        guard signal != 0 else { return "it exited with \((status >> 8) & 0xFF)" }
        return "it was killed by signal \(signal) (\(String(cString: strsignal(signal))))"
    }

    /// Waits until the child has ended. For a child that was sent SIGKILL: that takes moments only.
    static func reap(_ process: pid_t) {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
