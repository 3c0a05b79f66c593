// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// Enters tables and slots into the ledger of the test, with the executor that brings them to rest.
func enter(_ executor: SeededExecutor? = nil, tables: [Flights] = [], slots: Slots? = nil) {
    guard let ledger else { return }
    if let executor { ledger.settle { executor.drain() } }
    for table in tables { ledger.enter("\(table.name): entries") { table.entryCount } }
    if let slots { ledger.enter("slots: entries") { slots.entryCount } }
}

struct Broken: Error {}
