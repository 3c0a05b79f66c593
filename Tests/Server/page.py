# SPDX-License-Identifier: MIT
"""The server's page in Chromium: what it shows, what it asks for, and what a visitor can do without a mouse."""

import json
import subprocess
import time

import browser
import world

# What a checker of accessibility would say, in the page's own words.
AUDIT = """(() => {
  const wrong = [], shown = node => node.checkVisibility({ visibilityProperty: true });
  const all = [...document.querySelectorAll('body *')].filter(shown), name = node => node.id || node.outerHTML.slice(0, 60);
  const light = color => {
    const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map(value => value / 255)
      .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = node => {
    for (; node; node = node.parentElement) {
      const color = getComputedStyle(node).backgroundColor;
      if (!/, 0\\)$|transparent/.test(color)) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  for (const node of all) {
    if (![...node.childNodes].some(child => child.nodeType === 3 && child.data.trim())) continue;
    if (!node.closest('header, main, footer')) wrong.push(`outside of landmarks: ${name(node)}`);
    if (node.closest('.hidden, .tag')) continue;
    const [high, low] = [light(getComputedStyle(node).color), light(ground(node))].sort((a, b) => b - a);
    if ((high + 0.05) / (low + 0.05) < 4.5) wrong.push(`contrast of ${name(node)}`);
  }
  for (const node of all.filter(node => node.matches('a, button, input, select, textarea'))) {
    const area = (node.labels?.[0] ?? node).getBoundingClientRect(), own = node.getBoundingClientRect();
    if (Math.max(area.height, own.height) < 24) wrong.push(`a target of ${Math.max(area.height, own.height)}: ${name(node)}`);
  }
  for (const node of all.filter(node => node.matches('th, legend, h1, h2, label, button'))) {
    if (!node.textContent.trim() && !node.querySelector('[aria-label]')) wrong.push(`empty: ${name(node)}`);
  }
  for (const [selector, count] of [['main', 1], ['h1', 1], ['header', 1], ['[lang]', 1]]) {
    if (document.querySelectorAll(selector).length !== count) wrong.push(`${selector} not ${count} times`);
  }
  const ids = all.map(node => node.id).filter(id => id);
  if (new Set(ids).size !== ids.length) wrong.push('an id twice');
  return wrong;
})()"""
CONTROLS = ["button", "checkbox", "combobox", "ColorWell", "link", "radio", "slider", "spinbutton", "textbox"]
SETTLED = "document.getElementById('main').ariaBusy === 'false'"
ROW = "document.getElementById('result').innerText + document.getElementById('original').innerText"
WIDTH = "document.getElementById('after').naturalWidth"


def text(id):
    return f"document.getElementById('{id}').textContent"


def fill(page, id, value):
    """As a visitor selects the text of a field and types."""
    page.run(f"document.getElementById('{id}').select()")
    page.type(value) if value else page.key("Backspace")


def asked(page):
    """The options of the pictures that were asked for since the last look."""
    paths = [event["request"]["url"].split("/", 3)[-1] for event in page.taken("Network.requestWillBeSent")]
    return [path.split("/")[0] for path in paths if path.count("/") == 2]


def screens(page, check):
    """Phone and desk, light and dark: nothing beyond the edge, no text that is hard to read."""
    grounds = []
    for width, is_phone in ((390, True), (1280, False)):
        for is_dark in (False, True):
            page.screen(width, 844, is_dark, is_phone)
            check(page.run("document.scrollingElement.scrollWidth") <= width, f"wider than {width} pixels")
            check(not (wrong := page.run(AUDIT)), f"{width} wide, dark {is_dark}: {wrong}")
            grounds.append(page.run("getComputedStyle(document.body).backgroundColor"))
    check(grounds[0] != grounds[1], "dark is not dark")
    for node in page.send("Accessibility.getFullAXTree")["nodes"]:
        if node.get("role", {}).get("value") in CONTROLS and not node["ignored"]:
            check(node.get("name", {}).get("value"), f"a {node['role']['value']} has no name")


def late_answer(page, check):
    """The answer for w100 is held, w30 is asked for and shown, and then w100 is let go: it writes nothing."""
    page.send("Fetch.enable", patterns=[{"urlPattern": "*/w100/*", "requestStage": "Response"}])
    fill(page, "w", "100")
    held = page.event("Fetch.requestPaused")["requestId"]
    fill(page, "w", "30")
    page.wait(f"{WIDTH} === 30 && {SETTLED}")
    before = page.run(ROW)
    try:
        page.send("Fetch.continueRequest", requestId=held)
    except RuntimeError:
        pass  # the page has given the request up
    page.send("Fetch.disable")
    # Later than whatever the answer would have begun.
    page.run("new Promise(done => setTimeout(done, 300))")
    check(page.run(ROW) == before and "30 ×" in before, f"a late answer has written: {page.run(ROW)!r}")
    check(page.run(WIDTH) == 30, "a late picture is shown")


def options(page, check):
    """Typing asks once; each control has its word in the address; what cannot be is a sentence and no picture."""
    asked(page)
    fill(page, "w", "1024")
    page.wait(f"{SETTLED} && document.getElementById('address').textContent.includes('/w1024/')")
    check(set(asked(page)) <= {"w1024"}, "typing 1024 makes other pictures, too")
    fill(page, "w", "100")
    for script, words in (
            ("document.querySelector('[value=stretch]').click()", "w100,h100,stretch"),
            ("document.querySelector('[value=fill]').click()", "w100,h100,fill"),
            ("document.querySelector('[value=topright]').click()", "w100,h100,fill,topright"),
            ("document.getElementById('hasbg').click()", "w100,h100,fill,topright,bgffd166"),
            ("document.querySelector('[value=png]').click()", "w100,h100,fill,topright,bgffd166,png"),
            ("document.getElementById('still').click()", "w100,h100,fill,topright,bgffd166,png,still")):
        page.run(script)
        page.wait(SETTLED)
        check(f"/{words}/unsigned/" in page.run(text("address")), f"no {words} in the address")
        check(page.run(WIDTH) == 100, f"no picture for {words}")
    for id, value, part in (("h", "", "both a width and a height"), ("h", "9000", "from 1 to 8192"), ("h", "100", "")):
        fill(page, id, value)
        page.wait(f"{SETTLED} && {text('sentence')}.includes({json.dumps(part)})")
        check(page.run("document.getElementById('frame').hidden") == bool(part), f"a picture beside: {part}")
        check(bool(page.run(f"({ROW}).includes('bytes') || ({ROW}).includes('kB')")) == (not part), f"rows beside: {part}")


def keyboard(page, check):
    """Tab reaches every control, and arrows move the line between the pictures."""
    wanted = page.run("""[...document.querySelectorAll('a, button, input, select, pre')].filter(node => node.checkVisibility())
        .filter(node => node.type !== 'radio' || node.checked).length""")
    page.run("document.activeElement.blur(); getSelection().collapse(document.body, 0)")
    reached = set()
    for _ in range(wanted + 20):
        page.key("Tab")
        focused = page.run("""(() => { const node = document.activeElement;
            return [node === document.body ? '' : node.id || node.name || node.textContent,
                getComputedStyle(node).outlineStyle]; })()""")
        if focused[0]:
            reached.add(focused[0])
            check(focused[1] != "none", f"{focused[0]} has the focus and does not show it")
    check({"address", "slider", "zoom", "again", "url", "w", "h", "dpr", "mode", "format", "q", "still", "hasbg"} <= reached,
          f"Tab reaches {sorted(reached)}")
    page.run("document.getElementById('slider').focus()")
    page.key("ArrowLeft")
    check(page.run("document.getElementById('frame').style.getPropertyValue('--at')") == "49%", "an arrow moves no line")


def requests(place):
    return json.loads(world.ask(place.servers[0].port, "/figures").body)["requests"]


def page_row(place):
    """The page of a server without signatures, of one that wants them, and of one that has ended."""
    if not browser.Chromium.is_installed():
        return world.Row(notes=["skipped: not installed"])
    row, started = world.Row(), time.monotonic()

    def check(holds, loss):
        if not holds:
            row.losses.append(loss)

    place.start_servers(1, "--page", "--unsigned", "--allow-host", "127.0.0.1", shares=False)
    place.start_servers(1, "--page", shares=False)
    place.start_servers(1, "--page", "--unsigned", "--any-host", "--presets-only", "--preset", "card=w50", shares=False)
    source = f"http://127.0.0.1:{place.origin.port}/1.png"
    page = browser.Chromium(place.folder)
    try:
        page.send("Accessibility.enable")
        page.open(f"http://127.0.0.1:{place.servers[0].port}/")
        page.wait(f"{text('sentence')}.includes('Give the address')")
        fill(page, "url", source)
        page.key("Enter", "\r")
        page.wait(f"{SETTLED} && {WIDTH} === 240")
        check("image/webp" in page.run(text("result")), "auto is not what a picture of this browser gets")
        check("240 × 160" in page.run(text("original")), "the original has no size")
        page.run("document.querySelector('[data-copy=address]').click()")
        page.wait(f"{text('said')} === 'Copied.'")
        screens(page, check)
        keyboard(page, check)
        late_answer(page, check)
        options(page, check)
        counted = requests(place)
        page.run("new Promise(done => setTimeout(done, 2500))")
        check(requests(place) == counted, "the figures are counted as requests")
        fill(page, "url", source.replace("1.png", "broken.png"))
        page.key("Enter", "\r")
        page.wait(f"{SETTLED} && {text('sentence')}.includes('The origin of the picture')")
        check(page.run("!document.getElementById('after').hasAttribute('src')"), "a broken picture is shown")
        signed_only(place, page, check, source)
        page.open(f"http://127.0.0.1:{place.servers[2].port}/")
        fill(page, "url", source)
        page.key("Enter", "\r")
        page.wait(f"{SETTLED} && {WIDTH} === 50 && {text('address')}.includes('/card/unsigned/')")
        check("no preset" in page.run(text("original")), "nothing says why there is no original")
        place.servers[2].process.kill()
        page.wait("!document.getElementById('gone').hidden")
        for kind in ("Log.entryAdded", "Runtime.exceptionThrown"):
            for event in page.taken(kind):
                said = json.dumps(event)
                # The failures that were asked for.
                check(any(part in said for part in ("status of 50", "ERR_CONNECTION")), f"the browser complains: {said}")
        row.served, row.last = "all", time.monotonic() - started
    except (OSError, RuntimeError) as error:  # beside what was lost before
        row.losses.append(repr(error))
    finally:
        page.end()
    row.asked = place.origin.asked
    return row


def signed_only(place, page, check, source):
    """Without a key the page prints commands, and shows what they print."""
    page.open(f"http://127.0.0.1:{place.servers[1].port}/")
    fill(page, "url", source)
    page.key("Enter", "\r")
    fill(page, "w", "60")
    page.wait(f"{SETTLED} && {text('sentence')}.includes('Sign the address')")
    commands = page.run(text("command"))
    check("sign w60 " in commands, f"the commands are {commands}")
    signed = subprocess.run(["sh", "-euc", commands.replace("image-server", f"'{place.path}' --key {world.KEY}")],
                            stdout=subprocess.PIPE, text=True).stdout
    page.run("document.getElementById('signed').focus()")
    page.send("Input.insertText", text=signed)
    page.wait(f"{SETTLED} && {WIDTH} === 60")
    check("240 × 160" in page.run(text("original")), "the signed original is not shown")
    page.run("document.querySelector('[value=jpeg]').click()")
    page.wait(f"{SETTLED} && document.getElementById('frame').hidden")
    check(not page.run(text("saving")), "a row of other options")
