// SPDX-License-Identifier: MIT
import Foundation

/// What the environment says of a bug that is planted in the tests: the programs that a test starts have it, too.
package let plantedBug = ProcessInfo.processInfo.environment.filter { ["PLANTED", "REACHED"].contains($0.key) }
