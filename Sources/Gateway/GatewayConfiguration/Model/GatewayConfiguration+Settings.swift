extension GatewayConfiguration {
    /// Reads every value. A key exists because it is read here, and nowhere else: what the file holds beyond these
    /// is unknown.
    mutating func read(_ settings: inout SettingsReader) {
        settings.read("http.host", .host, into: &http.host)
        settings.read("http.port", .integer("a port number", in: 0...65_535), into: &http.port)
        settings.read(
            "http.max_body_bytes", .integer("a number of bytes", in: 1024...104_857_600),
            into: &http.bodyLimitBytes)
        settings.read(
            "http.max_buffered_bytes", .integer("a number of bytes", in: 1_048_576...1_099_511_627_776),
            into: &http.maxBufferedBytes)
        settings.read("http.body_timeout", .duration(in: .milliseconds(100)...(.seconds(600))), into: &http.bodyTimeout)
        settings.read(
            "http.head_timeout", .duration(in: .milliseconds(100)...(.seconds(3600))), into: &http.headTimeout)
        settings.read("http.tls_certificate_file", .path, into: &http.tlsCertificateFile)
        settings.read("http.tls_key_file", .path, into: &http.tlsKeyFile)

        http.readConnections(&settings)
        http.readOrigins(&settings)
        settings.read("health.host", .host, into: &health.host)
        settings.read("health.port", .integer("a port number", in: 0...65_535), into: &health.port)
        settings.read("console.host", .host, into: &console.host)
        settings.read("console.port", .integer("a port number", in: 0...65_535), into: &console.port)

        settings.read("redis.url", .redisURL, into: &redis.url)
        settings.read("redis.ca_file", .path, into: &redis.caFile)
        settings.read("redis.certificate_file", .path, into: &redis.certificateFile)
        settings.read("redis.key_file", .path, into: &redis.keyFile)
        settings.read(
            "redis.command_timeout", .duration(in: .milliseconds(10)...(.seconds(60))),
            into: &redis.commandTimeout)
        settings.read(
            "redis.replicas_to_wait", .integer("a number of replicas", in: 0...16), into: &redis.replicasToWait)
        settings.read("redis.data_dir", .path, into: &redis.dataDirectory)
        settings.read("redis.server_path", .path, into: &redis.serverPath)

        settings.read("redis.checks", .choice(of: StoreChecks.self, "a rule"), into: &redis.checks)
        settings.read(
            "redis.max_clock_skew", .duration(in: .seconds(1)...(.seconds(86_400))), into: &redis.maxClockSkew)

        settings.read("apns.url", .httpsURL, into: &apns.url)
        settings.read("apns.sandbox_url", .httpsURL, into: &apns.sandboxURL)
        settings.read("apns.ca_file", .path, into: &apns.caFile)
        settings.read("apns.proxy", .proxyURL, into: &apns.proxy)
        settings.read(
            "apns.ping_interval", .duration(in: .seconds(1)...(.seconds(3600))), into: &apns.pingInterval)
        settings.read(
            "apns.idle_timeout", .limit(in: .seconds(1)...(.seconds(86_400))), into: &apns.idleTimeout)
        settings.read("apns.key_file", .path, into: &apns.keyFile)
        apns.formerKeyFiles = settings.readPaths("apns.former_key_files")
        settings.read("apns.key_id", .word, into: &apns.keyID)
        settings.read("apns.team_id", .word, into: &apns.teamID)
        settings.read("apns.bundle_id", .word, into: &apns.bundleID)
        settings.read("apns.connections", .integer("a number of connections", in: 1...256), into: &apns.connections)
        settings.read("apns.push_timeout", .duration(in: .milliseconds(100)...(.seconds(300))), into: &apns.pushTimeout)
        apns.channels.read(&settings, under: "apns")
        fcm.read(&settings, under: "fcm")
        fcm.readCommon(&settings)
        apps = settings.readApps(like: fcm, apns.channels)

        settings.read(
            "rate_limit.requests_per_minute", .integer("a number of requests", in: 1...10_000_000),
            into: &rateLimit.requestsPerMinute)
        settings.read(
            "register.max_insider_ids", .integer("a number of ids", in: 1...1_000_000),
            into: &register.maxInsiderIDs)
        settings.read(
            "segments.upload_timeout", .duration(in: .milliseconds(100)...(.seconds(600))),
            into: &segments.uploadTimeout)
        settings.read(
            "segments.max_uploads", .integer("a number of uploads", in: 1...10_000), into: &segments.maxUploads)
        settings.read(
            "segments.min_upload_rate", .integer("a number of bytes a second", in: 0...1_048_576),
            into: &segments.minUploadRate)
        settings.read(
            "activity.lifetime", .limit(in: .seconds(60)...(.seconds(7 * 86_400))), into: &activity.lifetime)
        settings.read(
            "activity.max_per_device", .integer("a number of Live Activities", in: 0...100),
            into: &activity.maxPerDevice)
        topics.read(&settings)
        settings.read(
            "broadcast.wait_timeout", .duration(in: .milliseconds(100)...(.seconds(600))),
            into: &broadcast.waitTimeout)
        settings.read(
            "broadcast.max_waiting", .integer("a number of broadcasts", in: 1...1_000_000),
            into: &broadcast.maxWaiting)
        settings.read(
            "broadcast.min_interval", .duration(in: .zero...(.seconds(30))), into: &broadcast.minInterval)
        settings.read(
            "broadcast.update_budget", .integer("a number of updates an hour", in: 0...3600),
            into: &broadcast.updateBudget)
        settings.read("broadcast.on_unknown", .choice(of: OnUnknown.self, "a rule"), into: &broadcast.onUnknown)
        settings.read("tenants.required_tier", .choice(of: Tier.self, "a tier"), into: &tenants.requiredTier)
        events.read(&settings)
        settings.read("audit.file", .path, into: &audit.file)
        settings.read("metrics.enabled", .flag, into: &metrics.isEnabled)
        settings.read("metrics.host", .host, into: &metrics.host)
        settings.read("metrics.port", .integer("a port number", in: 1...65_535), into: &metrics.port)
        settings.read("log.level", .choice(of: LogLevel.self, "a log level"), into: &log.level)
        settings.read("log.format", .choice(of: LogFormat.self, "a log format"), into: &log.format)
        settings.read("shutdown.timeout", .duration(in: .milliseconds(100)...(.seconds(30))), into: &shutdown.timeout)
    }
}
