// The component in a page: one app a mount, kept over Streamlit's re-renders.

const _apps = new WeakMap();

export default function replayView(component) {
  return mountApp(_apps, (mount) => new ReplayApp(mount), component);
}
