import Reactor
import TimeCore

// Performs the actions of the connection's life cycle, and reports events to it.
extension RedisNode: RedisConnectionOwner {
    func perform(_ actions: [RedisConnectionLife.Action]) {
        for action in actions {
            switch action {
            case .open: open()
            case .close(let reason): closeConnection(reason)
            case .scheduleConnectDeadline(let deadline):
                connectTimer = reactor.schedule(at: deadline) { [weak self] in
                    guard let self else { return }
                    firstPlace += 1
                    let remark = TLSAdvice.silence(connection, isEncrypted: endpoint.tls != nil) + " (\(endpoint))"
                    perform(life.connectDeadlinePassed(.now(), random: options.random(), remark: remark))
                }
            case .cancelConnectDeadline: cancel(&connectTimer)
            case .scheduleRetry(let time):
                retryTimer = reactor.schedule(at: time) { [weak self] in
                    guard let self else { return }
                    perform(life.retryDue(.now()))
                }
            case .cancelRetry: cancel(&retryTimer)
            case .releaseWaiting: releaseWaiting()
            case .failWaiting(let reason): failWaiting(reason)
            case .publishState: owner?.nodeStateChanged(self)
            }
        }
    }

    private func cancel(_ timer: inout ReactorTimer?) {
        if let scheduled = timer { reactor.cancel(scheduled) }
        timer = nil
    }

    // MARK: Opening

    private func open() {
        attempt += 1
        let all = ([endpoint.location] + endpoint.seeds).enumerated().map { (number: $0.offset, location: $0.element) }
        let first = firstPlace % all.count
        places = Array(all[first...] + all[..<first])
        openNextPlace()
    }

    private func openNextPlace() {
        let next = places.removeFirst()
        place = next.number
        isAtSentinel = endpoint.sentinelName != nil
        switch next.location {
        case .unix(let path):
            candidates = [.unix(path: path)]
            openNextCandidate()
        case .tcp(let host, let port):
            resolve(host, port)
        }
    }

    func resolve(_ host: String, _ port: UInt16) {
        let current = attempt
        self.host = host
        Resolver.resolve(host: host, port: port, timeout: options.connectDeadline, on: reactor) { [weak self] result in
            guard let self, current == attempt, case .connecting = life.state else { return }
            switch result {
            case .success(let addresses):
                candidates = addresses.reversed().compactMap { address in
                    address.numericHost.map { .tcp(address: $0, port: port) }
                }
                openNextCandidate()
            case .failure(let error):
                lastFailure = error.description
                openNextCandidate()
            }
        }
    }

    /// Tries the addresses one after the other, all within one connect deadline.
    private func openNextCandidate() {
        isPassedOver = false
        while let target = candidates.popLast() {
            let connection = RedisConnection(reactor: reactor, owner: self, metrics: metrics)
            guard let failure = begin(connection, target) else {
                self.connection = connection
                return
            }
            lastFailure = failure
        }
        guard places.isEmpty else { return openNextPlace() }
        attemptFailed(lastFailure)
    }

    private func begin(_ connection: RedisConnection, _ target: RedisConnection.Target) -> String? {
        guard let files = endpoint.tls, case .tcp(let address, let port) = target else {
            return connection.open(target)
        }
        return connection.open(
            address: address, port: port, names: [host] + endpoint.trustedNames, files, timeout: options.connectDeadline
        )
    }

    private func attemptFailed(_ reason: String) {
        metrics.attemptsFailed += 1
        firstPlace += 1
        perform(life.attemptFailed("\(reason) (\(endpoint))", .now(), random: options.random()))
    }

    private func closeConnection(_ reason: String) {
        attempt += 1
        places = []
        candidates = []
        let closing = connection
        connection = nil
        closing?.close(reason)
        retiring?.close(reason)
    }

    // MARK: Events of the connection

    func connectionOpened(_ connection: RedisConnection) {
        guard connection === self.connection else { return }
        if isAtSentinel, let name = endpoint.sentinelName { return askSentinel(for: name, on: connection) }
        RedisHandshake(endpoint: endpoint, scripts: options.scripts).run(on: connection) { [weak self] result in
            guard let self, connection === self.connection else { return }
            switch result {
            case .failed(let reason):
                isPassedOver = RedisRefusal(errorReply: reason).isPassing
                // The end of the connection ends the attempt.
                connection.close(reason)
            case .greeted(let greeting):
                isSingle = !greeting.isCluster
                if let refusal = greeting.refusal, options.needsPrimary {
                    isPassedOver = true
                    return connection.close(refusal)
                }
                checkRights(on: connection) { [weak self] in
                    guard let self, connection === self.connection else { return }
                    metrics.connectionsOpened += 1
                    firstPlace = place
                    owner?.nodeGreeted(self, greeting)
                    perform(life.handshakeCompleted(.now()))
                }
            }
        }
    }

    func connectionClosed(_ connection: RedisConnection, reason: String) {
        if connection === retiring { retiring = nil }
        guard connection === self.connection else { return }
        self.connection = nil
        if case .connecting = life.state, !connection.isOpen || isPassedOver, !candidates.isEmpty || !places.isEmpty {
            lastFailure = reason
            openNextCandidate()
            return
        }
        var reason = reason
        if case .connecting = life.state, connection.isMute, endpoint.tls == nil, case .tcp = endpoint.location {
            reason = TLSAdvice.plain(reason)
        }
        if case .ready = life.state {
            metrics.connectionsLost += 1
        } else {
            metrics.attemptsFailed += 1
            firstPlace += 1
        }
        perform(life.connectionLost("\(reason) (\(endpoint))", .now(), random: options.random()))
    }
}
