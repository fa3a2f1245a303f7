export default function ({ data, setStateValue }) {
  const page = document.querySelector('[data-testid=stMainBlockContainer]');
  if (!page) return undefined;
  let told = data.guess;
  const watcher = new ResizeObserver(() => {
    const narrow = page.clientWidth < data.narrow;
    if (!page.clientWidth || narrow === told) return;
    told = narrow;
    setStateValue('narrow', narrow);
  });
  watcher.observe(page);
  return () => watcher.disconnect();
}
