// SPDX-License-Identifier: MIT
import PlatformBasics

/// The state that the process inherits from its parent.
enum Surroundings {
    /// Unblocks signals, makes failing writes return an error instead of ending the process, and reserves the numbers
    /// of the standard streams.
    static func prepare() {
        // The process inherits blocked signals from its parent; Ctrl-C would then not arrive.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
        signal(SIGPIPE, SIG_IGN)  // the reader of the output left
        signal(SIGXFSZ, SIG_IGN)  // a file beyond `ulimit -f`
        // A closed stream would be the next file opened, and messages would be written into a picture.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }
}
