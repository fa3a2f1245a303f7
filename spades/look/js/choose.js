// A card chosen by keys: 1 to 9 and arrows choose among the legal ones of a hand, Enter plays.

function pressCard(app, event, slots, legal, play) {
  const shown = slots.map(({ card }) => card).filter((card) => legal.includes(card));
  if (/^[1-9]$/.test(event.key)) app.candidate = shown[Number(event.key) - 1] ?? app.candidate;
  else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
    const at = shown.indexOf(app.candidate);
    const by = event.key === 'ArrowRight' ? 1 : -1;
    app.candidate = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : clamp(at + by, 0, shown.length - 1)];
  } else if (event.key === 'Enter' && app.candidate && !event.repeat) {
    swallow(event);
    play(app.candidate);
    return;
  } else return;
  swallow(event);
  app.render();
}

/** Whether a key is meant for the table: no shortcut, nobody types, no dialog is open. */
function isForTable(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTextField(event.composedPath()[0])) return false;
  return !document.querySelector(MODAL);
}
