// SPDX-License-Identifier: MIT
/// The options of the command line.
struct Options: Sendable {
    var effort = Effort.full
    var only: [String] = []
    var asJSON = false

    static let usage = """
        usage: bench [--quick] [--only NAME]… [--json] [--list] [--alone PLACE COUNT]
          --quick      fewer and shorter repeats: about a minute for everything
          --only NAME  only the family NAME, or those whose names begin with NAME
          --json       one object per row and line, times in nanoseconds, memory in bytes
          --list       the names, and what each family measures
          --alone PLACE COUNT
                       only the contender in this place of each family, from 0, COUNT times, and no table: for
                       programs that count instructions, such as Tests/instructions
        """

    /// Why the program ends before it measures anything.
    enum Ending: Error {
        case help
        case list
        case misuse(String)
    }

    init(_ arguments: some Sequence<String>) throws(Ending) {
        var arguments = Array(arguments)[...]
        var alone: (contender: Int, count: Int)?
        while let argument = arguments.popFirst() {
            switch argument {
            case "--quick": effort = .quick
            case "--json": asJSON = true
            case "--help", "-h": throw .help
            case "--list": throw .list
            case "--only":
                guard let name = arguments.popFirst() else { throw .misuse("--only needs a name") }
                only.append(name)
            case "--alone":
                guard let place = arguments.popFirst().flatMap({ Int($0) }), place >= 0,
                    let count = arguments.popFirst().flatMap({ Int($0) }), count > 0
                else { throw .misuse("--alone needs a place, from 0, and a count, from 1") }
                alone = (place, count)
            default: throw .misuse("unknown argument \(argument)")
            }
        }
        effort.alone = alone
        for name in only where !Family.all.contains(where: { $0.name.hasPrefix(name) }) {
            throw .misuse("no family is called \(name); see --list")
        }
    }

    func selects(_ family: Family) -> Bool {
        if only.isEmpty { return !family.isOnRequest }
        return only.contains { name in
            let isWhole = Family.all.contains { $0.name == name }
            return isWhole ? family.name == name : family.name.hasPrefix(name)
        }
    }
}
