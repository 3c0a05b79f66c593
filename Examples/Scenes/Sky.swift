// SPDX-License-Identifier: MIT
import WebImageTesting

/// A sky at some hour: its colours, its light, its clouds.
struct Sky {
    /// From the top to the horizon.
    let tones: [Tone]
    /// What the distance fades to.
    let haze: Tone
    /// What the light lies on.
    let light: Tone
    let cloud: Tone
    let isNight: Bool
    var horizon: Float = 0.6
    var sunX: Float = 0
    var sunY: Float = 0
    var sunRadius: Float = 0.045
    private var clouds: Noise
    private var cover: Float = 0
    private var row: Float = 0
    private var stars: [(x: Float, y: Float, light: Float, start: Float)] = []

    private struct Hour {
        let tones: [Int]
        let haze: Int
        let light: Int
        let cloud: Int
        var isNight = false
    }

    private static let hours = [
        // Dawn, morning, noon, afternoon, sunset, dusk, night, a pink evening, a green north.
        Hour(tones: [0x4A6FA5, 0x9DB4D6, 0xF6D5C3, 0xFFE3B8], haze: 0xEFCFC0, light: 0xFFF0CF, cloud: 0xF7B9A6),
        Hour(tones: [0x3E86C6, 0x84B9E0, 0xD5E8EE, 0xF4EFDB], haze: 0xCFDFE6, light: 0xFFF8E3, cloud: 0xFFFFFF),
        Hour(tones: [0x2F74B8, 0x5FA0D6, 0xA9CFE8, 0xD8EAF0], haze: 0xBDD4E0, light: 0xFFFBEA, cloud: 0xFFFFFF),
        Hour(tones: [0x5A8FB8, 0xA8C3CC, 0xF0DCB4, 0xF9D59A], haze: 0xEAD3AE, light: 0xFFF0C0, cloud: 0xFFF1DA),
        Hour(tones: [0x2E3D6B, 0x8A5A83, 0xE8795A, 0xFFC069], haze: 0xD98A68, light: 0xFFE6A0, cloud: 0xC9566A),
        Hour(tones: [0x1C2550, 0x4B3F7A, 0xA85C86, 0xF0A089], haze: 0x8C6488, light: 0xFFD9B8, cloud: 0x6B4A80),
        Hour(
            tones: [0x0B1230, 0x16264F, 0x2B4674, 0x55749A], haze: 0x37557F, light: 0xE9EEF7, cloud: 0x3A5078,
            isNight: true),
        Hour(tones: [0x6C7FB8, 0xB79AC4, 0xF2B5B8, 0xFBD9C0], haze: 0xD9B3C2, light: 0xFFEFD6, cloud: 0xF59FA8),
        Hour(
            tones: [0x0D1B2E, 0x163B4A, 0x2B6A6A, 0x7DB09A], haze: 0x3F7078, light: 0xF2F4E6, cloud: 0x3C7F78,
            isNight: true),
    ]

    init(_ random: inout SeededGenerator, _ view: View, hours choice: [Int]? = nil) {
        let hour = Self.hours[random.choice(choice ?? Array(Self.hours.indices))]
        tones = hour.tones.map(Tone.init)
        haze = Tone(hour.haze)
        light = Tone(hour.light)
        cloud = Tone(hour.cloud)
        isNight = hour.isNight
        clouds = Noise(&random)
        cover = random.between(-0.12, 0.18)
        row = random.between(0, 200)
        sunX = view.aspect * (random.next(below: 2) == 0 ? random.between(0.16, 0.42) : random.between(0.58, 0.84))
        sunY = random.between(0.14, 0.34)
        sunRadius = isNight ? random.between(0.035, 0.05) : random.between(0.04, 0.065)
        stars = (0..<(isNight ? 110 : 0)).map { _ in
            (
                random.between(0, view.aspect), random.between(0, 0.62), random.between(0.2, 1),
                random.between(0, 1)
            )
        }
    }

    /// Draws the row at `line.y`, which may lie below the horizon.
    func paint(_ line: Line, clouds isCloudy: Bool = true) {
        let view = line.view
        line.fill(tones.at(line.y / horizon))
        let glow = light.mixed(tones[2], 0.5)
        for star in stars where abs(star.y - line.y) < 0.006 + view.pixel {
            let light = star.light * (0.75 + 0.25 * view.sway(star.start))
            line.disc(x: star.x, y: star.y, 0.0011 + 0.0016 * star.light, light > 0.8 ? .white : self.light, light)
        }
        line.glow(x: sunX, y: sunY, radius: isNight ? 0.08 : 0.2, glow, isNight ? 0.35 : 0.5, flat: 1.4)
        line.glow(x: sunX, y: sunY, radius: 0.07, light, 0.5)
        line.disc(x: sunX, y: sunY, sunRadius, light.mixed(.white, 0.5))
        if isNight {
            // The dark part of the moon.
            line.disc(
                x: sunX + sunRadius * 0.42, y: sunY - sunRadius * 0.2, sunRadius * 0.86,
                tones.at(line.y / horizon).mixed(light, 0.2))
        }
        if isCloudy { paintClouds(line) }
    }

    private func paintClouds(_ line: Line) {
        // Clouds lie closer together near the horizon.
        let depth = 0.35 + line.y / horizon * 1.1
        line.clearMask()
        line.addNoise(
            clouds, 5, 1.5, x: 1.7, y: row + line.y * 5.5 * depth,
            shift: row + 0.05 * line.view.sway(0.25))
        let fading = Curve.smooth(0, 0.25, line.y / horizon)
        line.blendMask(cloud, 0.75 * fading, low: 0.1 - cover, high: 0.75 - cover)
        line.blendMask(light, 0.45 * fading, low: 0.5 - cover, high: 1.3 - cover)
    }
}
