// SPDX-License-Identifier: MIT
/// Numbers for human readers, in few columns.
enum Amount {
    /// At most seven columns: `812 B`, `98 kB`, `1.2 MB`, `12.3 GB`.
    static func bytes(_ count: Int) -> String {
        if count < 1_000 { return "\(count) B" }
        if count < 999_500 { return "\((count + 500) / 1_000) kB" }
        let isMega = count < 999_500_000
        let tenths = (count + (isMega ? 50_000 : 50_000_000)) / (isMega ? 100_000 : 100_000_000)
        let unit = isMega ? "MB" : "GB"
        return tenths < 1_000 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(tenths / 10) \(unit)"
    }

    static func milliseconds(_ count: Int) -> String {
        count < 10_000 ? "\(count) ms" : seconds(.milliseconds(count))
    }

    /// `7.1 s`, `2:05` for minutes and seconds, `1:02:05` with hours.
    static func seconds(_ duration: Duration) -> String {
        let tenths = Int(duration / .milliseconds(100))
        return tenths < 600 ? "\(tenths / 10).\(tenths % 10) s" : clock(duration)
    }

    /// The largest whole unit: `45 s`, `7 min`, `23 h`, `6 d`.
    static func age(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(max(0, seconds)) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    /// `0:07`, `2:05`, `1:02:05`.
    static func clock(_ duration: Duration) -> String {
        let seconds = max(0, Int(min(duration, .seconds(359_999)).components.seconds))
        let (minutes, hours) = (seconds / 60 % 60, seconds / 3_600)
        return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":\(two(seconds % 60))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
