// SPDX-License-Identifier: MIT
import ObjectStore
import PlatformBasics
import SharedStores
import WebImage

/// The options about buckets of S3, or of a service with its protocol.
struct ObjectSettings: Sendable {
    /// Where servers share pictures; `nil` for nowhere.
    var store: (bucket: String, prefix: String?)?
    /// The buckets that sources may be in.
    var sources: Set<String> = []
    var endpoint: URL?
    var region = "us-east-1"
    var style: ObjectService.AddressStyle?
    var keyID: String?
    var secret: String?
    var sessionToken: String?

    /// The service; `nil` when no option needs one.
    ///
    /// - Throws: `SharedStoreError` that says what is wrong.
    func service() throws(SharedStoreError) -> ObjectService? {
        guard store != nil || !sources.isEmpty else { return nil }
        return try ObjectService(
            endpoint: endpoint, region: region, style: style, keyID: keyID, secret: secret, sessionToken: sessionToken)
    }

    /// The configuration of the shared store; `nil` without one.
    ///
    /// - Throws: As ``service()``.
    func storeConfiguration() throws(SharedStoreError) -> ObjectStore.Configuration? {
        guard let store, let service = try service() else { return nil }
        var configuration = ObjectStore.Configuration(service, bucket: store.bucket)
        if let prefix = store.prefix { configuration.prefix = prefix }
        _ = try service.url(of: configuration.prefix + "name", in: store.bucket)
        return configuration
    }

    /// Reads a place in a bucket: `s3://bucket` or `s3://bucket/prefix`.
    mutating func setStore(_ text: String) throws(SettingsError) {
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0] == "s3:", parts[1].isEmpty, !parts[2].isEmpty else {
            throw SettingsError(message: "a bucket: s3://bucket or s3://bucket/prefix")
        }
        let prefix = parts.count == 4 && !parts[3].isEmpty ? String(parts[3]) : nil
        store = (String(parts[2]), prefix.map { $0.hasSuffix("/") ? $0 : $0 + "/" })
    }
}

extension Setting {
    /// The options about buckets.
    static let objects: [Setting] = [
        Setting(name: "s3", placeholder: "URL", help: "share pictures in a bucket: s3://bucket/prefix") {
            settings, text throws(SettingsError) in try settings.objects.setStore(text)
        },
        .list("s3-source", "BUCKET", "serve sources of this bucket, too: s3://bucket/key") {
            settings, bucket throws(SettingsError) in
            guard (try? ObjectService().url(of: "a", in: String(bucket))) != nil else {
                throw SettingsError(message: "the name of a bucket, without s3://")
            }
            settings.objects.sources.insert(String(bucket))
        },
        Setting(name: "s3-endpoint", placeholder: "URL", help: "the service, such as http://minio:9000 (Amazon S3)") {
            settings, text throws(SettingsError) in
            guard let url = URL(string: text) else { throw SettingsError(message: "the URL of a service") }
            settings.objects.endpoint = url
        },
        Setting(name: "s3-region", placeholder: "NAME", help: "the region of the buckets (us-east-1)") {
            $0.objects.region = $1
        },
        Setting(name: "s3-style", placeholder: "path|host", help: "where an address of the service names the bucket") {
            settings, text throws(SettingsError) in
            guard let style = ObjectService.AddressStyle(rawValue: text) else {
                throw SettingsError(message: "path or host")
            }
            settings.objects.style = style
        },
        Setting(name: "s3-key-id", placeholder: "ID", help: "the name of the key for the buckets (public buckets)") {
            $0.objects.keyID = $1
        },
        Setting(
            name: "s3-secret", placeholder: "TEXT", help: "its secret; better as a variable, which ps does not show"
        ) {
            $0.objects.secret = $1
        },
        Setting(name: "s3-session-token", placeholder: "TEXT", help: "its session token, if it has one") {
            $0.objects.sessionToken = $1
        },
    ]
}
