"""What other sites get of this server in a real browser, and that its own pages keep its policy."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from experiments.bench.dashboard import CHROMIUM_FLAGS, find_chromium
from tests.browser.conftest import running_server
from ui.shared.pages import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
TOKEN = "an access token of these tests"
TABLE = {"agents": [None, None, None, None]}
WATCH = """() => {
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => window.violations.push(
    `${event.effectiveDirective}: ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
}"""
ASK = """async ([url, options]) => {
  try {
    const answer = await fetch(url, options);
    return [answer.type, answer.status, await answer.text()];
  } catch (error) { return ['failed', 0, String(error)]; }
}"""


@pytest.fixture(scope="module")
def evil(browser):
    """A browser that is told by a foreign name server that every evil name is this machine."""
    flags = [*CHROMIUM_FLAGS, "--host-resolver-rules=MAP *.example 127.0.0.1"]
    launched = browser.browser_type.launch(executable_path=find_chromium(), args=flags)
    yield launched
    launched.close()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("games"))
    with running_server(SPADES_GAMES=folder, SPADES_ACCESS_TOKEN=TOKEN) as address:
        yield address


@contextmanager
def foreign_site(body):
    """The address of a site that shows one page."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *args):
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield f"http://evil.example:{site.server_port}"
    finally:
        site.shutdown()
        site.server_close()


@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
@pytest.mark.parametrize("mode", ["cors", "no-cors"])
def test_a_foreign_page_opens_no_table_and_reads_none(evil, guarded, kind, mode):
    opened = []
    page = evil.new_page()
    page.on("response", lambda answer: opened.append((answer.url, answer.status)))
    headers = {"content-type": kind, "authorization": f"token {TOKEN}"}
    with foreign_site("a page") as site:
        page.goto(site)
        for path, method in (("/tables/open", "POST"), ("/tables/view?token=x", "GET")):
            options = {"method": method, "mode": mode, "headers": headers}
            if method == "POST":
                options["body"] = json.dumps(TABLE)
            kind_of_answer, _, text = page.evaluate(ASK, [f"{guarded}{path}", options])
            assert kind_of_answer in ("failed", "opaque")
            assert "seats" not in text
    page.close()
    answers = [status for url, status in opened if "/tables/" in url]
    assert all(status in (401, 403, 405, 415) for status in answers)


def test_a_form_of_a_foreign_page_opens_no_table(evil, guarded):
    form = f"""<form method=post enctype=text/plain action={guarded}/tables/open>
      <input name='{json.dumps(TABLE)[:-1]}, "x":"' value='"}}'></form>"""
    page = evil.new_page()
    with foreign_site(form) as site:
        page.goto(site)
        with page.expect_navigation() as navigation:
            page.evaluate("() => document.forms[0].submit()")
    assert navigation.value.status == 403
    page.close()


@pytest.mark.parametrize("path", ["/", "/Play", "/tables/view?token=x", "/static/index.html"])
def test_a_rebound_name_gets_nothing(evil, guarded, path):
    page = evil.new_page()
    answer = page.goto(guarded.replace("127.0.0.1", "rebound.example") + path)
    assert answer.status == 403
    assert "another name" in answer.text()
    page.close()


def test_no_foreign_page_frames_this_one(evil, guarded):
    page = evil.new_page()
    with foreign_site(f"<iframe src='{guarded}/Play'></iframe>") as site:
        page.goto(site)
        page.wait_for_timeout(1500)
        (frame,) = page.frames[1:]
        assert frame.url.startswith("chrome-error:")
    page.close()


def test_our_own_page_may_ask_with_the_token(evil, guarded):
    page = evil.new_page()
    page.goto(f"{guarded}/Play")
    headers = {"content-type": "application/json", "authorization": f"token {TOKEN}"}
    options = {"method": "POST", "headers": headers, "body": json.dumps(TABLE)}
    _, status, text = page.evaluate(ASK, ["/tables/open", options])
    assert (status, set(json.loads(text)["seats"])) == (200, set("NESW"))
    page.close()


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(page.path, marks=[pytest.mark.exhaustive] * (page != PAGES[0]))
        for page in PAGES
    ],
)
def test_pages_keep_the_policy(visit_once, place):
    visitor = visit_once()
    visitor.page.add_init_script(f"({WATCH})()")
    visitor.page.goto(f"{visitor.home}{place}")
    visitor.settle()
    visitor.page.wait_for_timeout(500)
    assert visitor.page.evaluate("() => window.violations") == []
