import Foundation

/// What the process inherited from whoever started it.
enum Surroundings {
    /// Makes writes fail with an error instead of ending the process, and keeps the numbers of the standard streams from
    /// being given to other files.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)  // the reader of the output left
        signal(SIGXFSZ, SIG_IGN)  // a file beyond `ulimit -f`
        // A stream that was closed would be the next file opened, and lines meant for people would land in a picture.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }
}
