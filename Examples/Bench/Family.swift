// SPDX-License-Identifier: MIT
/// Rows that are measured together.
struct Family: Sendable {
    let name: String
    let summary: String
    /// Whether it is left out unless it is named.
    var isOnRequest = false
    /// Measures, and shows each row as soon as it is measured.
    let run: @Sendable (_ effort: Effort, _ show: @Sendable (Row) -> Void) async throws -> Void

    /// Every family, in the order of the table.
    static let all: [Family] = [
        .isolation,
        .memoryPeek, .memoryHit,
        .diskHit, .diskMiss, .diskStore, .largeFolder,
        .download(concurrency: 1), .download(concurrency: 6), .download(concurrency: 64),
        .secureDownload(overHTTP2: false), .secureDownload(overHTTP2: true), .secureConnections, .shards,
        .idleDownloads,
        .waiters, .distinctDownloads, .distinctLoads, .distinctLoadsOnDisk,
        .startAndCancel, .startAndCancelLoads, .startAndCancelLoadsOnDisk, .startAndCancelTransfers,
        cancelAll, cancelledConnection,
        .decode, .thumbnail, .resample, .animation, .pixels, .cancel, .debug, .feed, .burst,
        .variants, .smallVariants, .spread, .prefix, .leave, .peakMemory, .views, .previews,
        .saturation, .serverHit, .serverPictures, .redisHit,
    ]
}
