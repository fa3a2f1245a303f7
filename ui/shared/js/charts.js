// A chart's alternative text comes with its figure; Plotly has no place for it.
const name = (chart) => {
  const alt = chart.layout?.meta?.alt;
  if (!alt || chart.getAttribute("aria-label") === alt) return;
  chart.setAttribute("role", "figure");
  chart.setAttribute("aria-label", alt);
};
// Under each chart a button exports it. Its code is fetched when it is first pressed.
const EXPORT = new URL("./export/dialog.js", document.baseURI).href;
/** The button, or the one that the page has drawn in its place. */
const sameButton = (button) => {
  if (button.isConnected) return button;
  const buttons = [...document.querySelectorAll("button.export")];
  return buttons.find(({ ariaLabel }) => ariaLabel === button.ariaLabel);
};
const makeExportButton = (box) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "export";
  button.innerHTML = "<span aria-hidden=true>download</span>Export";
  button.addEventListener("click", async () => {
    const { openExport } = await import(EXPORT).catch(() => ({}));
    button.lastChild.data = openExport ? "Export" : "Export: the server doesn't answer";
    openExport?.(box.querySelector(".js-plotly-plot"), () => sameButton(button));
  });
  return button;
};
const addExport = (chart) => {
  const box = chart.closest(".stElementContainer");
  const meta = chart.layout?.meta;
  if (!box || !meta?.file) return;
  const button = box.querySelector(".export") ?? box.appendChild(makeExportButton(box));
  button.ariaLabel = `Export: ${meta.shows}`;
};
let named; // the next time, if it is set
new MutationObserver(() => {
  named ??= setTimeout(() => {
    named = undefined;
    document.querySelectorAll(".stPlotlyChart .js-plotly-plot").forEach((chart) => {
      name(chart);
      addExport(chart);
    });
  }, 200);
}).observe(document, { childList: true, subtree: true });
// Streamlit fetches the code of its charts when a page first shows one, and 5 MB take a second or
// two to compile. It is fetched here while the first page, once it is drawn, is read; not by a
// reader who asks for little data.
const CODE = "CHARTS";
const LOOK_MS = 250;
const fetchCharts = () => import(CODE).catch(() => {});
const isDrawn = () => document.querySelector(".stApp")?.dataset.testScriptState === "notRunning";
const whenDrawn = setInterval(() => {
  if (!isDrawn()) return;
  clearInterval(whenDrawn);
  if (!navigator.connection?.saveData) window.requestIdleCallback?.(fetchCharts);
}, LOOK_MS);
