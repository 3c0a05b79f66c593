import Foundation

/// What the process inherited from whoever started it.
enum Surroundings {
    /// Makes signals arrive, makes writes fail with an error instead of ending the process, and keeps the numbers of the
    /// standard streams from being given to other files.
    static func prepare() {
        // A parent's thread that blocks signals hands that down; then Ctrl-C would not arrive.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
        signal(SIGPIPE, SIG_IGN)  // the reader of the output left
        signal(SIGXFSZ, SIG_IGN)  // a file beyond `ulimit -f`
        // A stream that was closed would be the next file opened, and lines meant for people would land in a picture.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }
}
