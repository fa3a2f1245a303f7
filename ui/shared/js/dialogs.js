// Escape closes a dialog of Streamlit's wherever the focus is: it hears the key itself only while it
// has the focus, which a page that is drawn anew behind it takes away.
const CLOSE = '[role=dialog] button[aria-label=Close]';

document.addEventListener('keydown', ({ key, target }) => {
  if (key === 'Escape' && target === document.body) document.querySelector(CLOSE)?.click();
});
