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
  const above = document.querySelector(`.st-key-${data.above}`);
  const room = document.getElementById('spades-room') ?? document.createElement('style');
  room.id = 'spades-room';
  document.head.append(room);
  const keeper = new ResizeObserver(() => {
    const unfinished = `.st-key-${data.above}:not(:has(.st-key-${data.key}))`;
    if (above.offsetHeight) room.textContent =
      `body:has(.st-key-${data.below}) ${unfinished} { min-height: ${above.offsetHeight}px }`;
  });
  if (above) keeper.observe(above);
  return () => { watcher.disconnect(); keeper.disconnect(); };
}
