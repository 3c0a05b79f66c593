// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The whole manager under random programs of calls, and a naive model of what each caller may see.
struct ManagerModelTests {
    private static func fault(of program: ModelProgram) throws -> String? {
        let ledger = Ledger()
        return try Ledger.$current.withValue(ledger) {
            let run = try ModelRun(program)
            if let fault = run.run() ?? run.audit() { return fault }
            if let fault = ManagerModel(program: program, history: run.history.present).fault { return fault }
            let left = ledger.open()
            return unless(left.isEmpty, "left behind: \(left)")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `whatever a program does with a manager, each caller sees what the model allows, and nothing is left`() async {
        await Property(cases: 300) { ModelProgram(&$0) }.holds { try Self.fault(of: $0) }
    }
}
