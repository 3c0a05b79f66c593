// SPDX-License-Identifier: MIT
/// Lesson 7, structure: a call returns when all that it has started has ended.
///
/// The lessons before share one operation between many callers. This one has the opposite shape: one caller, and many
/// operations.
enum Lesson7 {
    typealias Load<Picture> = @Sendable (_ name: String) async throws -> Picture

    /// **The fault before**: a task for each picture. Tasks that are started by hand run beside the call, not in it.
    /// The caller's cancellation does not reach them. When the second picture fails, the call throws, and the others
    /// load on. They still use what the caller takes for free: its connections, its folder, its memory.
    struct Draft: Sendable {
        let executor: (any TaskExecutor)?

        func album<Picture: Sendable>(_ names: [String], load: @escaping Load<Picture>) async throws -> [Picture] {
            let tasks = names.map { name in Task(executorPreference: executor) { try await load(name) } }
            var pictures: [Picture] = []
            for task in tasks { pictures.append(try await task.value) }
            return pictures
        }
    }

    /// **The mend**: child tasks. A child has a parent, and a scope that it cannot outlive. Cancellation and escalation
    /// of the parent reach it without a handler. It inherits priority, task-local values and executor.
    ///
    /// An unstructured task is right for work that belongs to several callers, or must outlive its call: the flights of
    /// the other lessons. It then needs an owner that ends it: the table, by its last caller.
    struct Albums: Sendable {
        /// A group: children of one kind, as many as there are names.
        ///
        /// The error that leaves the body of a group cancels the other children. The group throws it when they have
        /// ended, and not before: a child that does not heed its cancellation holds up the call.
        func album<Picture: Sendable>(_ names: [String], load: @escaping Load<Picture>) async throws -> [Picture] {
            try await withThrowingTaskGroup(of: (Int, Picture).self) { group in
                for (index, name) in names.enumerated() {
                    group.addTask { (index, try await load(name)) }
                }
                // They come in the order in which they end.
                var pictures = [Picture?](repeating: nil, count: names.count)
                for try await (index, picture) in group { pictures[index] = picture }
                return pictures.compactMap(\.self)
            }
        }

        /// `async let`: a few children, each with a name.
        ///
        /// A scope that is left by an error cancels `first`, and waits for its end. But the error of `first` is heard
        /// where it is awaited, and not before. Where one failure must end the others at once, take a group.
        func book<Picture: Sendable>(
            cover: String, pages: [String], load: @escaping Load<Picture>
        ) async throws -> (cover: Picture, pages: [Picture]) {
            async let first = load(cover)
            let pages = try await album(pages, load: load)
            return (try await first, pages)
        }

        /// A discarding group: children without a value. It forgets each child that ends, where a plain group keeps
        /// the value until it is asked for: the group for a server that accepts connections for months.
        ///
        /// Here the children catch their errors, so one that fails leaves the others alone.
        func warm<Picture: Sendable>(_ names: [String], load: @escaping Load<Picture>) async {
            await withDiscardingTaskGroup { group in
                for name in names { group.addTask { _ = try? await load(name) } }
            }
        }

        /// A scope: what runs beside `body` ends with it, whether `body` returns, throws or is cancelled.
        func whileWarming<Picture: Sendable, Output: Sendable>(
            _ names: [String], load: @escaping Load<Picture>, body: () async throws -> Output
        ) async rethrows -> Output {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await warm(names, load: load) }
                defer { group.cancelAll() }
                return try await body()
            }
        }
    }
}
