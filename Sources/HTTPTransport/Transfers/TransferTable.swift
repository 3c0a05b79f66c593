import Synchronization

/// libcurl with the transfers of a client: an actor whose executor is its event loop.
///
/// The handles and the transfers are its isolated state and not `Sendable`, so the compiler keeps them on the thread of the
/// loop. Other threads leave messages; the callbacks of libcurl come on the thread, within a call of the actor into libcurl.
/// The loop keeps the actor until the thread ends.
actor TransferTable {
    enum Message: Sendable {
        case start(TransferOrder, Transfer.Caller)
        /// The caller of a transfer was cancelled, or has dropped the body.
        case cancel(UInt64)
        /// The reader of a transfer has made room.
        case resume(UInt64)
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
    /// Transfers whose callers wait for the end of the turn, by which the body of a small answer is there too.
    var newHeads: [Transfer] = []
    /// The transfers that wait for each name.
    var lookUps: [String: [UInt64]] = [:]
    let resolver: NameResolver
    /// Addresses that the name of the proxy led to.
    var proxyAddresses: Set<IPAddress> = []
    /// When libcurl was last entered, in nanoseconds of the loop's clock.
    var now: UInt64 = 0
    /// When to look at the deadlines again within a turn.
    var nextExpiry: UInt64 = 0
    var hasEnded = false

    /// - Parameter lookUp: Leads from names to addresses.
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
    /// - Returns: `false` when the process has no thread or descriptor left; every message is refused then.
    nonisolated func start() -> Bool {
        guard !loop.start([self]) else { return true }
        _ = mailbox.close()
        return false
    }

    /// The transfer that a callback is about: mostly the one of the callback before.
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

    func loopBegins(at seat: UInt32) {
        multi.open(for: self, at: seat)
    }

    func takeTurn() -> UInt64? {
        now = LoopThread.nanoseconds
        finishDone()
        expireDeadlines()
        for message in mailbox.take() { handle(message) }
        for transfer in admission.admit() { run(transfer) }
        multi.runTimer(at: now)
        // A transfer that ends at once makes room for the next: another turn instead of a wait.
        let isSettled = !finishDone()
        for transfer in newHeads { transfer.deliverHead() }
        newHeads.removeAll(keepingCapacity: true)
        guard isSettled else { return now }
        let deadline = min(multi.timer ?? .max, deadlines.first?.wakeTime ?? .max)
        return deadline == .max ? nil : deadline
    }

    func descriptorIsReady(_ descriptor: Int32, _ readiness: Readiness) {
        now = LoopThread.nanoseconds
        multi.act(on: descriptor, readiness)
        // Many busy sockets make a long turn, and limits hold within it.
        if now >= nextExpiry { expireDeadlines() }
    }

    func loopEnds() {
        hasEnded = true
        // Transfers whose message came too late for a turn fail with the others; the mailbox refuses those that follow.
        for message in mailbox.close() { handle(message) }
        for id in transfers.keys.sorted() { end(id, .failure(HTTPError.shutDown)) }
        // Forgets the queues of those that ended just now.
        _ = admission.admit()
        multi.close()
    }

    private func handle(_ message: Message) {
        switch message {
        case .start(let order, let caller): start(order, for: caller)
        case .cancel(let id): cancel(id)
        case .resume(let id): resume(id)
        case .resolved(let name, let result): resolved(name, result)
        }
    }

    /// Ends the transfers that libcurl is done with.
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

/// What a table keeps, in numbers: all zero when no transfer is left.
struct TableCounts: Sendable, Hashable {
    var transfers = 0
    var deadlines = 0
    /// Transfers that run, as the admission queue counts them, and the connections that it thinks they have.
    var running = 0
    var connections = 0
    var waiting = 0
    /// Origins that are in turn for a connection.
    var waitingOrigins = 0
    var newHeads = 0
    /// Names that transfers wait for, those transfers, and names that wait for a thread.
    var names = 0
    var namedTransfers = 0
    var waitingNames = 0
}

extension TransferTable {
    /// Transfers that wait or run.
    var count: Int { transfers.count }

    /// The counts of now; those of the resolver change on its threads.
    var counts: TableCounts {
        TableCounts(
            transfers: transfers.count, deadlines: deadlines.count, running: admission.runningCount,
            connections: admission.connections, waiting: admission.waitingCount,
            waitingOrigins: admission.waitingOriginCount, newHeads: newHeads.count, names: lookUps.count,
            namedTransfers: lookUps.values.reduce(0) { $0 + $1.count }, waitingNames: resolver.counts.waiting)
    }
}
