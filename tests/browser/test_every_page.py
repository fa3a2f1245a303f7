"""Every page, on three screens, light and dark: read by weak eyes, by screen readers, by thumb."""

import itertools
from pathlib import Path

import axe_playwright_python
import pytest

from tests.browser.first_screen import first_screen_faults
from tests.browser.screens import PHONE, SECOND_VIEWS, SIZES, rest, screens
from ui.shared.pages import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser-3")]
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
RULES = {"light": {}, "dark": {"runOnly": ["color-contrast", "link-in-text-block"]}}
"""For axe. In the dark a page is the same but for its colours."""
FAULTS = """async (rules) =>
  (await axe.run(document, {...rules, resultTypes: ['violations']})).violations
  .filter(({impact}) => ['serious', 'critical'].includes(impact))
  .flatMap(({id, nodes}) => nodes.map(({target, any}) => `${id}: ${target} ${any[0]?.message}`))"""
OVERLAPS = """() => {
  const boxes = [];
  const look = (root) => root.querySelectorAll('*').forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot);
    if (node.closest('svg, .felt, .scrubber, [aria-hidden=true], details:not([open])')) return;
    if (!node.checkVisibility({opacityProperty: true, visibilityProperty: true})) return;
    for (let up = node; up; up = up.parentElement) {
      if (getComputedStyle(up).clipPath !== 'none') return;
    }
    for (const text of node.childNodes) {
      if (text.nodeType !== 3 || !text.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const box of range.getClientRects()) boxes.push({node, box, text: text.data.trim()});
    }
  });
  look(document.querySelector('[data-testid=stMainBlockContainer]'));
  const found = [];
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    if (a.node.contains(b.node) || b.node.contains(a.node)) return;
    if (Boolean(a.node.closest('.st-key-bar')) !== Boolean(b.node.closest('.st-key-bar'))) return;
    const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (width > 2 && height > 4) found.push(`${a.text.slice(0, 40)} | ${b.text.slice(0, 40)}`);
  }));
  return found;
}"""
"""Texts that lie on one another: not cards, charts, what is closed or hidden, and what the page's
bar lies on as one scrolls."""
UNREACHABLE = """() => {
  const found = [];
  const look = (root) => root.querySelectorAll('*').forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot);
    if (!node.matches('button, a[href], input, textarea, [role=button], [role=slider]')) return;
    if (node.disabled || node.tabIndex >= 0 || !node.checkVisibility()) return;
    // Of a group the arrow keys reach the others; a field has its own steps by arrow keys too.
    const group = '[role=radiogroup], [role=tablist], [role=group], .js-plotly-plot';
    if (node.closest(`[aria-hidden=true], ${group}`)) return;
    if (node.closest('[data-testid=stNumberInputContainer], [data-tag], .stSelectbox')) return;
    found.push(`no key reaches ${node.outerHTML.slice(0, 120)}`);
  });
  look(document.querySelector('[data-testid=stMain]'));
  return found;
}"""
SHIFTED = """() => new Promise((done) => {
  setTimeout(() => done(0), 500);
  new PerformanceObserver((list) => {
    const late = list.getEntries().filter((entry) => !entry.hadRecentInput);
    done(late.reduce((sum, {value}) => sum + value, 0));
  }).observe({type: 'layout-shift', buffered: true});
})"""
"""How far a page has moved since it was asked for; one that hasn't has no entries."""
SCROLLED = "() => document.querySelector('[data-testid=stMain]').scrollTop"
NAMELESS = """() => [...document.querySelectorAll('.js-plotly-plot')]
  .filter((chart) => chart.checkVisibility() && !chart.ariaLabel)
  .map((chart) => `a chart without an alternative text: ${chart.textContent.slice(0, 40)}`)"""
ASKEW = """() => {
  const found = [];
  const bottom = (box) => box.querySelector('label, [data-testid=stWidgetLabel]')
    ?.getBoundingClientRect().bottom;
  document.querySelectorAll('.stMain .stHorizontalBlock').forEach((row) => {
    const named = [...row.children].filter((box) => box.matches('.stElementContainer')
      && box.querySelector('.stSelectbox, .stButtonGroup, .stTextInput, .stNumberInput'));
    named.slice(1).forEach((box, i) => {
      const [one, two] = [named[i], box].map((each) => each.getBoundingClientRect());
      const labels = [named[i], box].map(bottom);
      const isBeside = two.left >= one.right && Math.abs(one.bottom - two.bottom) < 20;
      if (isBeside && labels.every(Boolean) && Math.abs(labels[0] - labels[1]) > 2) {
        found.push(`labels of ${named[i].className.match(/st-key-\\S+/)} and its neighbour`);
      }
    });
  });
  return found;
}"""
"""Labels of controls that stand side by side, but not on one line."""
CROWDED = """() => {
  const isSeen = (text) => text.textContent.trim()
    && text.checkVisibility({opacityProperty: true, visibilityProperty: true});
  const linesOf = (text) => {
    const lines = [...text.querySelectorAll('tspan.line')];
    return lines.length ? lines : [text];
  };
  const found = [];
  for (const chart of document.querySelectorAll('.js-plotly-plot')) {
    if (!chart.checkVisibility()) continue;
    const texts = [...chart.querySelectorAll('.main-svg text')].flatMap(linesOf).filter(isSeen);
    const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
    boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 2 && height > 4) found.push(`in a chart: ${one} | ${other}`);
    }));
  }
  return found;
}"""
"""Texts of a chart that lie on one another."""
LOOKS = (OVERLAPS, UNREACHABLE, NAMELESS, ASKEW, CROWDED)
CHARTS = (
    "/Style?logs=human-south&classes=68&context=trick",
    "/Style?logs=human-south&classes=32&context=turn",
    "/Tune?view=frontier&sweep=baier",
    "/Tune?view=ladder",
    "/Bids?view=nil&hand=5432.32.5432.432",
    "/Bids?view=curves",
    "/Bids?view=surface",
    "/Bids?view=ace&logs=human-south",
    "/Agents?view=best",
    "/Agents?view=judges",
    "/Agents?view=compare",
    "/Papers?figure=devlin-fig1",
    "/Papers?figure=baier-fig2-3",
    "/Papers?figure=cohensius-fig3",
)
"""Addresses with charts that the pages' examples don't show."""
OFTEN = ("Replay", "Play", "Style", "Tune")
TOO_LONG = 10_000  # pixels on a phone
MOST_SHIFT = 0.05


def shift_of(tab):
    """Of a page that had to compile first, and so was seen before it stood, how the next look
    moves."""
    shift = tab.evaluate(SHIFTED)
    if shift > MOST_SHIFT:
        tab.reload()
        rest(tab)
        shift = tab.evaluate(SHIFTED)
    return shift


def swipe(tab, x, y, by):
    touch = tab.context.new_cdp_session(tab)

    def send(kind, *points):
        kind, points = f"touch{kind}", [{"x": x, "y": at} for at in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("Start", y)
    for i in range(1, 9):
        send("Move", y + by * i / 8)
        tab.wait_for_timeout(20)
    send("End")
    tab.wait_for_timeout(400)


def trapped(tab):
    """Charts on which a swipe doesn't scroll the page."""
    found = []
    for i, chart in enumerate(tab.locator(".js-plotly-plot").all()):
        if not chart.is_visible():
            continue
        chart.evaluate("(node) => node.scrollIntoView({block: 'center'})")
        tab.wait_for_timeout(100)
        box, before = chart.bounding_box(), tab.evaluate(SCROLLED)
        middle = box["y"] + box["height"] / 2
        for by in (-100, 100):
            swipe(tab, box["x"] + box["width"] / 2, middle, by)
            if tab.evaluate(SCROLLED) != before:
                break
        else:
            found.append(f"chart {i} traps a swipe")
    tab.locator("[data-testid=stMain]").evaluate("(node) => node.scrollTo(0, 0)")
    return found


def _marked(page, size):
    """Of four pages it is seen on a phone with every change."""
    is_often = size == "phone" and page.title in OFTEN
    marks = [] if is_often else [pytest.mark.exhaustive]
    return pytest.param(page, size, marks=marks, id=f"{page.path}-{size}")


@pytest.mark.parametrize(
    ("page", "size"),
    [_marked(*each) for each in itertools.product((*PAGES, *SECOND_VIEWS), SIZES)],
)
def test_a_page_can_be_read_and_used(browser, home, page, size):
    found = []
    for tab, _, _, scheme in screens(browser, home, (page,), (size,)):
        shift = shift_of(tab) if scheme == "light" else 0
        first = first_screen_faults(tab, page.path) if scheme == "light" else []
        tab.evaluate(AXE)
        faults = [f"moves by {shift:.3f} as it loads"] * (shift > MOST_SHIFT)
        faults += first
        faults += tab.evaluate(FAULTS, RULES[scheme])
        faults += [finding for look in LOOKS for finding in tab.evaluate(look)]
        if size == "phone" and scheme == "light":
            faults += trapped(tab)
            height = tab.evaluate(
                "() => document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
            )
            if height > TOO_LONG:
                faults.append(f"{height} pixels long")
        found += [f"{scheme}: {fault}" for fault in faults]
    assert not found, "\n".join(found)


@pytest.mark.exhaustive
def test_texts_of_charts_keep_apart_on_a_phone(browser, home):
    tab = browser.new_page(**PHONE)
    found = []
    n_charts = 0
    for address in CHARTS:
        tab.goto(home + address)
        rest(tab)
        n_charts += tab.locator(".js-plotly-plot").count()
        found += [f"{address}: {finding}" for finding in tab.evaluate(CROWDED)]
    tab.close()
    assert not found, "\n".join(found)
    assert n_charts >= len(CHARTS)
