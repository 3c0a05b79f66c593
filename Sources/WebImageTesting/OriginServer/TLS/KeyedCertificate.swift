// SPDX-License-Identifier: MIT
internal import COpenSSL
internal import PlatformBasics

/// A certificate and its private key, on the curve P-256.
// Safe: the pointers are private, and live as long as the object.
@safe final class KeyedCertificate {
    private let certificate: OpaquePointer
    private let key: OpaquePointer

    /// Makes a key and a certificate for it.
    ///
    /// - Parameters:
    ///   - name: The common name.
    ///   - issuer: Signs the certificate; `nil` for the key itself.
    ///   - days: When it is valid, in days from now.
    ///   - extensions: The extensions of version 3, each by its number and in the words of OpenSSL's configuration.
    /// - Throws: ``OriginError`` with code `.certificate`.
    init(
        _ name: String, signedBy issuer: KeyedCertificate? = nil, days: ClosedRange<Int>,
        extensions: [(number: CInt, value: String)]
    ) throws(OriginError) {
        guard let key = unsafe Self.makeKey() else { throw Self.failure }
        unsafe self.key = unsafe key
        guard let certificate = unsafe X509_new() else {
            unsafe EVP_PKEY_free(key)
            throw Self.failure
        }
        unsafe self.certificate = unsafe certificate

        let now = Int(Date.now.timeIntervalSince1970)
        let subject = unsafe X509_get_subject_name(certificate)
        guard unsafe X509_set_version(certificate, CLong(X509_VERSION_3)) == 1,
            unsafe ASN1_INTEGER_set(X509_get_serialNumber(certificate), issuer == nil ? 1 : 2) == 1,
            unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), now + days.lowerBound * 86_400) != nil,
            unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), now + days.upperBound * 86_400) != nil,
            unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1,
            unsafe X509_set_issuer_name(certificate, X509_get_subject_name(issuer?.certificate ?? certificate)) == 1,
            unsafe X509_set_pubkey(certificate, key) == 1
        else { throw Self.failure }
        for (number, value) in extensions { try add(number, value, of: issuer ?? self) }
        guard unsafe X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0 else { throw Self.failure }
    }

    deinit {
        unsafe X509_free(certificate)
        unsafe EVP_PKEY_free(key)
    }

    /// The SHA-256 of the public key, in the DER form of the SubjectPublicKeyInfo.
    var publicKeySHA256: [UInt8] {
        get throws(OriginError) {
            var encoded: UnsafeMutablePointer<UInt8>?
            let count = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
            guard count > 0, let encoded = unsafe encoded else { throw Self.failure }
            defer { unsafe CRYPTO_free(encoded, #file, #line) }
            var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
            unsafe SHA256(encoded, Int(count), &digest)
            return digest
        }
    }

    /// Writes the certificate to a file, in PEM.
    func writeCertificate(to path: String) throws(OriginError) {
        try unsafe Self.write(to: path) { file in unsafe PEM_write_bio_X509(file, certificate) }
    }

    /// Writes the private key to a file, in PEM, without a password.
    func writeKey(to path: String) throws(OriginError) {
        try unsafe Self.write(to: path) { file in unsafe PEM_write_bio_PrivateKey(file, key, nil, nil, 0, nil, nil) }
    }

    private static let failure = OriginError(.certificate, "OpenSSL cannot make a certificate.")

    private static func makeKey() -> OpaquePointer? {
        guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1
        else { return nil }
        return unsafe key
    }

    private func add(_ number: CInt, _ value: String, of issuer: KeyedCertificate) throws(OriginError) {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer.certificate, certificate, nil, nil, 0)
        let made = unsafe X509V3_EXT_conf_nid(nil, &context, number, value)
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe made != nil, unsafe X509_add_ext(certificate, made, -1) == 1 else {
            throw OriginError(.certificate, "OpenSSL refuses \"\(value)\" in a certificate.")
        }
    }

    private static func write(to path: String, _ body: (_ file: OpaquePointer) -> CInt) throws(OriginError) {
        guard let file = unsafe BIO_new_file(path, "w") else {
            throw OriginError(.certificate, "Nothing can be written to \(path).")
        }
        defer { unsafe BIO_free(file) }
        guard unsafe body(file) == 1 else { throw failure }
    }
}
