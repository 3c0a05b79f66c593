// SPDX-License-Identifier: MIT
import EventLoops
import HTTPTransport
import PlatformBasics

extension HTTPServer {
    /// Takes the heads that have come, until one needs a wait.
    func advance(_ connection: Connection) {
        while case .reading = connection.phase, connection.unfinishedCount > 0 {
            do throws(RequestHead.Refusal) {
                let end = try connection.search.end(in: connection.input)
                let count = (end ?? connection.input.count) - connection.position
                if count > limits.headByteCount { throw tooLarge(connection) }
                guard let end else { return connection.compactInput() }
                let head = RequestHead(connection.input, lines: connection.search.lines)
                connection.removeHead(endingAt: end)
                begin(connection, head)
            } catch {
                let lines = connection.search.lines
                let exchange = beginning(connection, RequestHead(connection.input, lines: lines))
                connection.removeHead(endingAt: connection.input.count)
                refuse(connection, error, exchange)
            }
        }
    }

    private func tooLarge(_ connection: Connection) -> RequestHead.Refusal {
        connection.search.hasFirstLine
            ? .init(status: 431, detail: "The head is longer than \(limits.headByteCount) bytes.")
            : .init(status: 414, detail: "The address is longer than \(limits.targetByteCount) bytes.")
    }

    private func beginning(_ connection: Connection, _ head: RequestHead) -> Connection.Exchange {
        var exchange = Connection.Exchange(
            id: requestID.next(), head: head, began: connection.headBegan)
        if let parent = head.fields.traceparent, let trace = TraceParent(parent) { exchange.trace = trace.traceID }
        return exchange
    }

    /// Gives the log what has come of a head that does not end.
    func beginUnfinishedExchange(_ connection: Connection) {
        guard connection.search.hasFirstLine else { return }
        let lines = connection.search.lines
        connection.exchange = beginning(connection, RequestHead(connection.input, lines: lines))
    }

    private func begin(_ connection: Connection, _ head: RequestHead) {
        connection.requestCount += 1
        let exchange = beginning(connection, head)
        do throws(RequestHead.Refusal) {
            try head.check(targetByteLimit: limits.targetByteCount, fieldLimit: limits.fields)
        } catch {
            return refuse(connection, error, exchange)
        }
        connection.exchange = exchange
        let request = ServerRequest(
            id: exchange.id, method: exchange.method, target: exchange.target, fields: head.fields)
        if let answer = recall(request) { return send(answer, connection) }
        guard runningCount < limits.requests else {
            var answer = Answer.problem(
                503, "The server is busy; try again in a second.", code: "busy", id: exchange.id)
            answer.fields.append(("Retry-After", "1"))
            send(answer, connection)
            if case .reading = connection.phase { table.giveWayFirst(connection) }
            return
        }
        countUp()
        connection.phase = .working(nil)
        table.endIdling(connection)
        connection.deadline = .max
        let handler = handler
        // It begins here: an answer from memory is sent before the call returns.
        let task = Task.immediate(name: "request") {
            let answer = await handler(request)
            self.finish(connection, answer)
        }
        guard case .working = connection.phase else { return }
        connection.phase = .working(task)
        watch(connection, for: .leaving)
    }

    /// Takes the answer of a request's task.
    private func finish(_ connection: Connection, _ answer: Answer) {
        if case .working(let task) = connection.phase {
            send(answer, connection)
            // Without a task this is the call that began the request, and its caller goes on with the input.
            if task != nil { advance(connection) }
        }
        countDown()
    }

    private func refuse(_ connection: Connection, _ refusal: RequestHead.Refusal, _ exchange: Connection.Exchange) {
        var answer = Answer.problem(refusal.status, refusal.detail, code: "refusedRequest", id: exchange.id)
        if refusal.status == 405 { answer.fields.append(("Allow", "GET, HEAD")) }
        connection.exchange = exchange
        connection.exchange?.isLast = true
        send(answer, connection)
    }

    private func send(_ answer: Answer, _ connection: Connection) {
        guard var exchange = connection.exchange else { return }
        let sendsBody = exchange.method != "HEAD" && answer.status != 304
        exchange.isLast =
            exchange.isLast || isDraining || isRetiring || connection.requestCount >= limits.requestsPerConnection
        (exchange.status, exchange.notes) = (answer.status, answer.notes)
        connection.exchange = exchange
        let closes = exchange.isLast || exchange.closes
        let head = answer.head(
            date: dateText, id: exchange.id, connection: closes ? "close" : exchange.isOld ? "keep-alive" : nil)
        let body = sendsBody ? answer.body[answer.range ?? answer.body.indices] : []
        connection.output = Output(head: head, body: body)
        connection.phase = .sending
        connection.sendingBegan = EventLoop.nanoseconds
        connection.taken = (0, connection.sendingBegan)
        push(connection)
    }

    /// Sends what the client takes of the present answer.
    func push(_ connection: Connection) {
        let isWaiting = table.waiting[connection.descriptor] != nil
        switch isWaiting ? table.push(connection) : connection.output.send(to: connection.descriptor) {
        case .complete:
            exchangeEnded(connection)
            if isWaiting { advance(connection) }
        case .failed: end(connection)
        case .blocked where isCut: end(connection)
        case .blocked where !isWaiting:
            table.endIdling(connection)
            table.beginWaiting(connection)
            connection.deadline = connection.sendingBegan + limits.sendTimeout.nanoseconds
            watch(connection, for: .writing)
            keepBudget()
        case .blocked: break
        }
    }

    /// Cuts off the slowest readers while more bytes wait than may.
    private func keepBudget() {
        // One answer may be larger than the budget.
        while table.waitingByteCount > limits.waitingByteCount, table.waiting.count > 1,
            let slowest = table.slowestReader(at: EventLoop.nanoseconds)
        {
            end(slowest)
        }
    }

    /// The value of `Date`, made once a second.
    private var dateText: String {
        let second = time(nil)
        if date.second != second { date = (second, HTTPDate(secondsSince1970: second).description) }
        return date.text
    }
}
