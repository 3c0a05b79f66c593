// SPDX-License-Identifier: MIT
import PlatformBasics

extension DiskCache.Configuration {
    /// The folder of this program: that of the namespace with the program's name.
    public static var defaultFolder: String { folder(namespace: ProcessEnvironment.programName) }

    /// The folder of a namespace: one with its name in `swift-web-image` in `$XDG_CACHE_HOME`, or else in `~/.cache`.
    ///
    /// Programs of one user that name the same namespace share its entries. Keys are shared as well, so two programs
    /// must not use one key of their own for different pictures.
    ///
    /// - Parameter namespace: Any text. Letters, digits, `-`, `_` and, but for the first place, `.` are kept; other
    ///   bytes are written as `%` and two digits, so no name leads out of the folder. Long names are shortened by a
    ///   digest.
    /// - Source: XDG Base Directory Specification 0.8; a relative `$XDG_CACHE_HOME` is ignored.
    public static func folder(namespace: String) -> String {
        folder(
            namespace: namespace, environment: ProcessEnvironment.variable, home: ProcessEnvironment.homeFolder)
    }

    static func folder(namespace: String, environment: (String) -> String?, home: String?) -> String {
        let name = "/swift-web-image/" + folderName(namespace)
        if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") { return caches + name }
        return (environment("HOME") ?? home ?? ".") + "/.cache" + name
    }

    /// The longest name that is written as it is. File systems take 255 bytes.
    private static var longestName: Int { 120 }

    /// A name for a folder that differs from that of every other namespace.
    static func folderName(_ namespace: String) -> String {
        var name = ""
        for byte in namespace.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.append(Character(UnicodeScalar(byte)))
            case UInt8(ascii: ".") where !name.isEmpty:
                name.append(".")
            default:
                name += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
            // The rest of a long name is told by its digest. A `+` stands in no other name.
            guard name.utf8.count <= longestName else {
                return name.prefix(longestName - 40) + "+" + KeyDigest(of: CacheKey(namespace)).fileName
            }
        }
        return name.isEmpty ? "+" : name
    }
}

/// What the disk cache asks the system: the time, the environment, the home folder and the program's name.
enum ProcessEnvironment {
    /// The time of the system's clock since 1970.
    static var timeSinceEpoch: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// The value of an environment variable; `nil` when it is not set or empty.
    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }

    /// This user's home folder according to the user database.
    static var homeFolder: String? {
        guard let user = unsafe getpwuid(getuid()), let folder = unsafe user.pointee.pw_dir else { return nil }
        return unsafe String(cString: folder)
    }

    /// The name that the program was started by, without its folders.
    static var programName: String {
        let path = CommandLine.arguments.first ?? ""
        return path.split(separator: "/").last.map(String.init) ?? ""
    }
}
