// SPDX-License-Identifier: MIT
import Foundation
import WebImage
import WebImageTesting

/// Runs the plan step by step. A turn is one response of the origin.
@MainActor
final class Show {
    private typealias Load = Task<DecodedImage, any Error>

    private let plan: Plan
    private let manager: ImageManager
    private let origin: OriginServer
    private let gates: [OriginGate]
    private var plugs: [Load] = []
    private var loads: [(caller: Plan.Caller, task: Load)] = []
    private var served = 0
    private var cancelled = 0
    private var waits: [ImagePriority: Int] = [:]

    init(_ plan: Plan, _ manager: ImageManager, _ origin: OriginServer, _ gates: [OriginGate]) {
        self.plan = plan
        self.manager = manager
        self.origin = origin
        self.gates = gates
    }

    /// Keeps every slot busy, so that the queue decides which transfer is next.
    func fillTheSlots() async throws {
        for slot in 0..<Plan.slots {
            plugs.append(start(Plan.pictures + slot, .veryHigh))
            await origin.waitForRequests(count: slot + 1)
        }
        print("seed \(plan.seed): \(Plan.slots) downloads at once, both slots busy")
    }

    func letEverybodyIn() async throws {
        // One caller per picture first, one after the other: the order of arrival is part of the plan.
        for caller in plan.callers {
            loads.append((caller, start(caller.picture, caller.priority)))
            if loads.count <= Plan.pictures { try await wait { $0.queuedDownloads == self.loads.count } }
        }
        try await wait { $0.callers == self.loads.count + Plan.slots }
        print("\(loads.count) callers wait for \(await manager.occupancy.flights - Plan.slots) flights")
    }

    func letSomeLeave() async {
        for load in loads where load.caller.leaves { load.task.cancel() }
        for load in loads where load.caller.leaves {
            if case .failure(let error) = await load.task.result, error is CancellationError { cancelled += 1 }
        }
        print("\(cancelled) callers left at once; nothing else moved")
        print("")
        print("turn  picture  most urgent  asked  left  served")
    }

    func serveInTurns() async throws {
        for (slot, plug) in plugs.enumerated() {
            gates[Plan.pictures + slot].open()
            _ = try await plug.value
            await origin.waitForRequests(count: Plan.slots + slot + 1)
        }
        for turn in 1...Plan.pictures {
            let picture = order()[turn - 1]
            gates[picture].open()
            try await finish(picture, turn)
            await origin.waitForRequests(count: min(2 * Plan.slots + turn, Plan.pictures + Plan.slots))
        }
    }

    /// The pictures in the order in which they reached the origin.
    private func order() -> [Int] {
        origin.requests.dropFirst(Plan.slots).compactMap { Int($0.path.dropFirst().prefix { $0 != "." }) }
    }

    private func finish(_ picture: Int, _ turn: Int) async throws {
        let mine = loads.filter { $0.caller.picture == picture }
        var count = 0
        for load in mine where !load.caller.leaves {
            let image = try await load.task.value
            precondition(ImageFactory.seed(of: image) == picture, "a caller got another picture")
            waits[load.caller.priority] = max(waits[load.caller.priority] ?? 0, turn)
            count += 1
        }
        served += count
        let columns = [
            "\(turn)", Plan.path(picture), "\(plan.urgency(of: picture))", "\(mine.count)", "\(mine.count - count)",
            "\(count)",
        ]
        print(
            zip(columns, [4, 7, 11, 5, 4, 6]).map { text, width in
                text.padding(toLength: width, withPad: " ", startingAt: 0)
            }.joined(separator: "  "))
    }

    func prove() {
        print("")
        print("requests at the origin: \(origin.requests.count - Plan.slots) for \(Plan.pictures) pictures")
        print("callers: \(loads.count), served \(served), cancelled \(cancelled)")
        let longest = ImagePriority.allCases.reversed().map { "\($0) \(waits[$0].map(String.init) ?? "-")" }
        print("longest wait in turns: \(longest.joined(separator: ", "))")
        precondition(served + cancelled == loads.count)
    }

    private func start(_ picture: Int, _ priority: ImagePriority) -> Load {
        let request = ImageRequest(origin.url(Plan.path(picture)), priority: priority)
        let manager = manager
        return Task(name: "caller of \(picture)") { try await manager.image(for: request) }
    }

    /// Waits until the manager's occupancy satisfies `condition`.
    private func wait(until condition: (LoadOccupancy) -> Bool) async throws {
        while await !condition(manager.occupancy) { await Task.yield() }
    }
}
