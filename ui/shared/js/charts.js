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
