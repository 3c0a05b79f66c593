"""Attacks on where a request goes and what it takes along: proxies of the environment, redirects, secrets."""

from child import Row
from origin import Origin, answer
from pictures import TINY, code, fetch, load
from server import Program, address


def proxy_row(field):
    """Proxies in the environment, with and without one in the configuration."""
    row = Row("proxies of the environment")

    def reply(path, headers, connection):
        connection.sendall(answer(TINY, "image/gif"))

    with Origin(reply) as private, Origin(reply) as proxy, Origin(reply) as foreign:
        exceptions = ["localhost,127.0.0.1,.svc,.cluster.local", "*", "localhost", ".localhost", "127.0.0.0/8,localhost"]
        for name in ("NO_PROXY", "no_proxy"):
            for value in exceptions:
                for kind in ("admin", "admin-with-others"):
                    private.hits.clear(), proxy.hits.clear(), foreign.hits.clear()
                    environment = {name: value}
                    if kind != "admin":
                        environment |= {"http_proxy": foreign.url(""), "ALL_PROXY": foreign.url("")}
                    url = private.url("/admin.gif", "localhost")
                    result, ends = load(field, "--proxy", proxy.url(""), url, environment=environment)
                    row.judge(not private.hits and not foreign.hits and len(proxy.hits) == 1,
                              f"{name}={value}: {len(private.hits)} hits at the private server, {len(proxy.hits)} at "
                              f"the proxy, {len(foreign.hits)} at that of the environment", result)
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            private.hits.clear(), foreign.hits.clear()
            url = private.url("/picture.gif")
            result, ends = load(field, "--allow", "127.0.0.1", url, environment={name: foreign.url("")})
            row.judge(ends.get(url, [""])[0] == "ok" and not foreign.hits and len(private.hits) == 1,
                      f"{name}: {ends}, {len(foreign.hits)} hits at the proxy of the environment", result)
            result, outcomes = fetch(field, [url], environment={name: foreign.url("")})
            row.judge(code(outcomes.get(url)) == "ok" and not foreign.hits, f"fetch with {name}", result)
    row.memory = 0
    return row


def targets(port):
    """Private addresses as a redirect may spell them."""
    hosts = ["127.0.0.1", "127.0.0.2", "localhost", "LOCALHOST", "localhost.", "127.1", "127.0.1", "2130706433",
             "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "0", "0.0.0.0", "[::1]", "[::]",
             "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
             "[0:0:0:0:0:0:0:1]", "127.0.0.1.", "127.000.000.001", "%31%32%37.0.0.1", "127%2e0.0.1", "１２７.0.0.1",
             "ⓛocalhost", "127。0。0。1", "user@127.0.0.1", "127.0.0.3@127.0.0.1", "127.0.0.3:80@127.0.0.1",
             "127.0.0.3%40127.0.0.1", "127.0.0.3\\@127.0.0.1", "127.0.0.1#", "[::1%25lo]", "[fe80::1%25lo]"]
    for host in hosts:
        yield f"http://{host}:{port}/secret"
    yield from (f"//127.0.0.1:{port}/secret", f"HTTP://127.0.0.1:{port}/secret", f"http:\\\\127.0.0.1:{port}/secret",
                f"http:/127.0.0.1:{port}/secret", f"http:///127.0.0.1:{port}/secret", f"\thttp://127.0.0.1:{port}/secret",
                f"ftp://127.0.0.1:{port}/secret", f"gopher://127.0.0.1:{port}/_secret", f"dict://127.0.0.1:{port}/secret",
                "file:///etc/hostname", "unix:///var/run/docker.sock", f"https://127.0.0.1:{port}/secret",
                f"ws://127.0.0.1:{port}/secret", f"scp://127.0.0.1:{port}/secret", f"telnet://127.0.0.1:{port}/")


def redirect_row(field):
    """Redirects from an allowed origin to private addresses."""
    row = Row("redirects to private addresses")

    def picture(path, headers, connection):
        connection.sendall(answer(TINY, "image/gif"))

    private = [Origin(picture)]
    for host in ("127.0.0.2", "::1"):
        try:
            private.append(Origin(picture, host, private[0].port))
        except OSError as error:
            row.notes.append(f"SKIPPED: no listener at {host} ({error})")
    places = list(targets(private[0].port))

    def reply(path, headers, connection):
        status, number = path.strip("/").split("/")
        connection.sendall(answer(b"", "text/html", f"{status} See there").replace(
            b"\r\n\r\n", b"\r\nLocation: " + places[int(number)].encode() + b"\r\n\r\n"))

    with Origin(reply, "127.0.0.3") as origin:
        statuses = (301, 302, 303, 307, 308) if not field.quick else (302, 307)
        urls = [origin.url(f"/{status}/{number}") for status in statuses for number in range(len(places))]
        result, ends = load(field, "--allow", "127.0.0.3", "--timeout", "5", *urls, limit=60)
    hits = [hit for server in private for hit in server.hits]
    row.judge(len(ends) == len(urls) and not hits, f"{len(hits)} hits at the private servers: {hits[:3]}", result)
    for url in urls:
        end = ends.get(url, ("none", 0))[0]
        row.judge(end not in ("ok", "none"), f"{places[int(url.rpartition('/')[2])]}: {end}")
    for server in private:
        server.__exit__()
    row.memory = 0
    return row


def secret_row(field):
    """Credentials and custom fields over redirects to another origin, and back."""
    row = Row("secrets over redirects")
    names = ["Authorization", "Cookie", "X-API-Key", "X-Auth-Token", "X-Custom-Token", "X-Session", "Referer",
             "X-Forwarded-For", "Private-Token", "X-Vault-Token"]
    words = [word for name in names for word in ("--header", f"{name}=secret-{name}")]
    servers = {}

    def reply(path, headers, connection):
        _, status, route = path.split("/", 2)
        step, _, rest = route.partition("-")
        if not rest:
            return connection.sendall(answer(TINY, "image/gif"))
        place = servers[rest[0]].url(f"/{status}/{rest}")
        connection.sendall(answer(b"", "text/html", f"{status} See there", Location=place))

    with Origin(reply, "127.0.0.3") as servers["a"], Origin(reply, "127.0.0.4") as servers["b"], \
            Origin(reply, "127.0.0.3") as servers["c"]:
        for status in (301, 302, 303, 307, 308):
            for route in ("a-b", "a-c", "a-b-a", "a-c-b", "a-b-c-a"):
                for server in servers.values():
                    server.hits.clear()
                url = servers["a"].url(f"/{status}/{route}")
                result, ends = load(field, "--allow", "127.0.0.0/29", *words, url)
                later = [hit for name in "bc" for hit in servers[name].hits] + servers["a"].hits[1:]
                told = {name for _, fields in later for name, value in fields.items() if "secret" in value}
                complete = servers["a"].hits and "secret-Cookie" in servers["a"].hits[0][1].get("cookie", "")
                row.judge(complete and len(later) == route.count("-") and not told,
                          f"{status} {route}: {ends} {len(later)} later requests carried {sorted(told)}", result)
    row.memory = 0
    return row


def source_row(field):
    """Sources of `image-server` that name private addresses, in every spelling, beside one host that may be asked."""
    row = Row("image-server: private sources")

    def reply(path, headers, connection):
        connection.sendall(answer(TINY, "image/gif"))

    with Origin(reply) as private, Origin(reply, "127.0.0.3", private.port) as allowed:
        words = ["--port", "{port}", "--no-metrics", "--no-log", "--unsigned", "--any-host", "--allow-network",
                 "127.0.0.3/32"]
        with Program(field.server, *words) as server:
            row.judge(server.get(address(allowed.url("/a.gif"), "original"))[0] == 200, "the allowed host is not asked")
            for place in targets(private.port):
                status, _ = server.get(address(place, "original"))
                row.judge(not private.hits and 400 <= status < 600, f"{place!r}: {status}, {len(private.hits)} hits")
                private.hits.clear()
            result = server.end()
            row.judge(result.status in (0, 1), f"ended with {result.status}", result)
    row.memory = 0
    return row


ROWS = {"sources": source_row, "proxies": proxy_row, "redirects": redirect_row, "secrets": secret_row}
