// SPDX-License-Identifier: MIT
import EventLoops
import Synchronization

/// The transfers of a client and libcurl's multi handle: an actor whose executor is its event loop.
///
/// The handles and the transfers are its isolated state and not `Sendable`, so the compiler keeps them on the thread of
/// the loop. Other threads post messages; the callbacks of libcurl run on the thread, within a call of the actor into
/// libcurl. The loop keeps the actor until the thread ends.
actor TransferTable {
    enum Message: Sendable {
        case start(TransferOrder, Transfer.Caller)
        /// The caller of a transfer was cancelled, or has dropped the body.
        case cancel(UInt64)
        /// The reader of a transfer has made room.
        case resume(UInt64)
        /// There is more of a content that a transfer sends.
        case sendMore(UInt64)
        /// A name was looked up.
        case resolved(String, Result<[IPAddress], NameResolver.Failure>)
    }

    nonisolated let loop = EventLoop(name: "http-loop")
    nonisolated let mailbox: Mailbox<Message>
    nonisolated private let lastID = Atomic<UInt64>(0)

    nonisolated let settings: TransferSettings
    let multi: CurlMulti
    var transfers: [UInt64: Transfer] = [:]
    /// The transfer that the last callback was about.
    var recent: Transfer?
    var deadlines = DeadlineHeap<Transfer>()
    var admission: AdmissionQueue
    /// Transfers whose callers are resumed at the end of the turn, when the body of a small response has arrived, too.
    var undelivered: [Transfer] = []
    /// The transfers that wait for each name.
    var lookUps: [String: [UInt64]] = [:]
    nonisolated let resolver: NameResolver
    /// The addresses of the proxy's name so far.
    var proxyAddresses: Set<IPAddress> = []
    /// When libcurl was last entered, in nanoseconds of the loop's clock.
    var now: UInt64 = 0
    /// When to check the deadlines again within a turn.
    var nextExpiry: UInt64 = 0
    var hasEnded = false

    /// - Parameter lookUp: Resolves names to addresses.
    init(_ settings: TransferSettings, lookUp: @escaping NameResolver.LookUp) {
        self.settings = settings
        let mailbox = Mailbox<Message>(on: loop)
        self.mailbox = mailbox
        multi = CurlMulti(settings.configuration, loop: loop)
        admission = AdmissionQueue(settings.configuration)
        // Weak: a look-up may outlive the client.
        resolver = NameResolver(limit: settings.configuration.maximumNameLookups, lookUp: lookUp) {
            [weak mailbox] name, result in
            mailbox?.post(.resolved(name, result))
        }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// Starts the thread; called once.
    /// - Returns: `false` when the process has no thread or descriptor left; every message is then refused.
    nonisolated func start() -> Bool {
        guard !loop.start([self]) else { return true }
        _ = mailbox.close()
        return false
    }

    /// The transfer of a callback: usually the same as that of the last callback.
    func transfer(of order: TransferOrder) -> Transfer? {
        if let recent, recent.order === order { return recent }
        recent = transfers[order.id]
        return recent
    }

    /// A number for a transfer.
    nonisolated func makeID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }
}

// MARK: - Turns

extension TransferTable: LoopResident {
    var hasMail: Bool { !mailbox.isEmpty }

    func loopBegins(with token: UInt32) {
        multi.open(for: self, with: token)
    }

    func takeTurn() -> UInt64? {
        now = EventLoop.nanoseconds
        finishDone()
        expireDeadlines()
        for message in mailbox.take() { handle(message) }
        for transfer in admission.admit() { run(transfer) }
        multi.runTimer(at: now)
        // A transfer that ends at once makes room for the next, so another turn follows instead of a wait.
        let isSettled = !finishDone()
        deliver()
        guard isSettled else { return now }
        let deadline = min(multi.timer ?? .max, deadlines.first?.wakeTime ?? .max)
        return deadline == .max ? nil : deadline
    }

    func descriptorIsReady(_ descriptor: Int32, _ readiness: Readiness) {
        now = EventLoop.nanoseconds
        multi.act(on: descriptor, readiness)
        // Many busy sockets make a long turn, and the time limits apply within it.
        if now >= nextExpiry { expireDeadlines() }
    }

    func loopEnds() {
        hasEnded = true
        // Transfers with a message after the last turn fail like the others; the mailbox refuses later messages.
        for message in mailbox.close() { handle(message) }
        for id in transfers.keys.sorted() { end(id, .failure(HTTPError.shutDown)) }
        deliver()
        // Drops the queues of the transfers that have just ended.
        _ = admission.admit()
        multi.close()
    }

    private func handle(_ message: Message) {
        switch message {
        case .start(let order, let caller): start(order, for: caller)
        case .cancel(let id): cancel(id)
        case .resume(let id): resume(id)
        case .sendMore(let id): sendMore(id)
        case .resolved(let name, let result): resolved(name, result)
        }
    }

    /// Resumes the callers that have something to get.
    private func deliver() {
        for transfer in undelivered { transfer.deliver() }
        undelivered.removeAll(keepingCapacity: true)
    }

    /// Ends the transfers that libcurl has finished.
    /// - Returns: Whether there were any.
    @discardableResult
    private func finishDone() -> Bool {
        var isAny = false
        while let (id, result) = multi.nextDone() {
            isAny = true
            if let transfer = transfers[id] { finish(transfer, result) }
        }
        return isAny
    }
}

extension HTTPError {
    static let shutDown = HTTPError(code: .shutDown, message: "The HTTP client was shut down.")
}

// MARK: - Counts

extension TransferTable {
    /// The number of transfers that wait or run.
    var count: Int { transfers.count }

    /// The number of entries in all tables: 0 when no transfer is left. Those of the resolver change on its threads.
    /// For tests.
    var entryCount: Int {
        transfers.count + deadlines.count + admission.entryCount + undelivered.count
            + lookUps.values.reduce(0) { $0 + 1 + $1.count } + resolver.counts.waiting
    }
}
