/// What a thread runs, in the form in which a C function can be given it.
final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

extension PlatformThread {
    /// `name-number`, with the name shortened to what the system keeps.
    static func label(_ name: String, number: Int) -> String {
        let suffix = "-\(number)"
        var name = name[...]
        while name.utf8.count + suffix.utf8.count > labelLimit, !name.isEmpty { name.removeLast() }
        return name + suffix
    }
}
