// SPDX-License-Identifier: MIT
package import WebImageTesting

extension SeededExecutor {
    /// Opens a gate, and runs what can run then.
    package func open(_ gate: Gate) {
        gate.open()
        drain()
    }
}
