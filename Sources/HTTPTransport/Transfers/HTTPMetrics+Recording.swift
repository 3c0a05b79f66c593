import CLibcurl
import CTransportShims

extension HTTPMetrics {
    /// Reads what libcurl has measured up to the head; its times all count from when it got the addresses.
    mutating func recordHead(from easy: EasyHandle, lookUpTime: Duration) {
        let looked = easy.duration(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = easy.duration(CURLINFO_CONNECT_TIME_T)
        let secured = easy.duration(CURLINFO_APPCONNECT_TIME_T)
        nameLookup = lookUpTime + looked
        connect = max(.zero, connected - looked)
        tls = max(.zero, secured - connected)
        firstByte = lookUpTime + easy.duration(CURLINFO_STARTTRANSFER_TIME_T)
        remoteAddress = easy.text(CURLINFO_PRIMARY_IP)
        reusedConnection = easy.integer(CURLINFO_NUM_CONNECTS) == 0
        httpVersion =
            switch easy.integer(CURLINFO_HTTP_VERSION) {
            case Int(CURL_HTTP_VERSION_1_0): "1.0"
            case Int(CURL_HTTP_VERSION_1_1): "1.1"
            case Int(CURL_HTTP_VERSION_2_0): "2"
            default: nil
            }
    }
}
