// SPDX-License-Identifier: MIT
/// The options of the command line.
struct Options: Sendable {
    var effort = Effort.full
    var only: [String] = []
    var asJSON = false

    static let usage = """
        usage: bench [--quick] [--only NAME]… [--json] [--list]
          --quick      fewer and shorter repeats: under 30 seconds for everything
          --only NAME  only the families whose names begin with NAME
          --json       one object per row and line, times in nanoseconds, memory in bytes
          --list       the names, and what each family measures
        """

    /// Why the program ends before it measures anything.
    enum Ending: Error {
        case help
        case list
        case misuse(String)
    }

    init(_ arguments: some Sequence<String>) throws(Ending) {
        var arguments = Array(arguments)[...]
        while let argument = arguments.popFirst() {
            switch argument {
            case "--quick": effort = .quick
            case "--json": asJSON = true
            case "--help", "-h": throw .help
            case "--list": throw .list
            case "--only":
                guard let name = arguments.popFirst() else { throw .misuse("--only needs a name") }
                only.append(name)
            default: throw .misuse("unknown argument \(argument)")
            }
        }
        for name in only where !Family.all.contains(where: { $0.name.hasPrefix(name) }) {
            throw .misuse("no family is called \(name); see --list")
        }
    }

    func selects(_ family: Family) -> Bool {
        only.isEmpty ? !family.isOnRequest : only.contains { family.name.hasPrefix($0) }
    }
}
