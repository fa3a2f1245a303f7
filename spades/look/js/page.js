// The component in a page: one app a mount, kept over Streamlit's re-renders.

const VIEW = '.st-key-replay_view';
const _apps = new WeakMap();

/** Where what follows the component goes, for the page's style: under the panel where that stands
 *  beside the table. Until the first decision is drawn there is no such place. */
function tellRoom(app, view) {
  const panel = app.panel.root;
  const bottoms = [...panel.children].map((part) => part.getBoundingClientRect().bottom);
  const room = view.getBoundingClientRect().bottom - Math.max(...bottoms);
  const isBeside = panel.offsetLeft > app.root.offsetLeft;
  const { style } = document.body;
  style.setProperty('--replay-beside', `${isBeside ? panel.offsetLeft : 0}px`);
  style.setProperty('--replay-room', `${isBeside ? Math.max(0, Math.floor(room)) : 0}px`);
  if (!panel.classList.contains('searching')) document.body.dataset.replayPlaced = '';
}

function watchRoom(app) {
  const tell = () => {
    const view = app.root.getRootNode().host?.closest(VIEW);
    if (view) tellRoom(app, view);
  };
  const observer = new ResizeObserver(tell);
  [app.root, ...app.panel.root.children].forEach((part) => observer.observe(part));
}

function makeApp(mount) {
  const app = new ReplayApp(mount);
  watchRoom(app);
  return app;
}

export default function replayView(component) {
  return mountApp(_apps, makeApp, component);
}
