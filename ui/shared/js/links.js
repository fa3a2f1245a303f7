// Streamlit loses a click on a link to another page that comes while it begins to draw this one
// again: its threads share which page is wanted. Such a click is made again once the page rests.
const LOOK_MS = 500;
const CLICKS = 3;
let left; // where somebody wants to go, until that page is there or something else is done

const isResting = () => document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning';

const targetOf = (link) => new URL(link.getAttribute('href') || '.', location.href).pathname;

const look = () => {
  if (!left) return;
  if (location.pathname === left.target || !left.link.isConnected || left.clicks === CLICKS) {
    left = undefined;
    return;
  }
  left.rests = isResting() ? left.rests + 1 : 0;
  if (left.rests > 1) {
    left.clicks += 1;
    left.rests = 0;
    left.link.click();
  }
  setTimeout(look, LOOK_MS);
};

document.addEventListener('click', (event) => {
  if (!event.isTrusted) return;
  const link = event.target.closest('a[data-testid=stPageLink-NavLink]');
  const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);
  const wasLooking = Boolean(left);
  left = undefined;
  if (!link || !isPlain || targetOf(link) === location.pathname) return;
  left = { link, target: targetOf(link), clicks: 1, rests: 0 };
  if (!wasLooking) setTimeout(look, LOOK_MS);
}, true);
document.addEventListener('keydown', () => { left = undefined; }, true);
