// Plotly takes every touch on a chart for a drag of its own, and the page can't be scrolled there. A
// tap still reaches it, as the click that the browser makes of it.
const leave = (event) => {
  if (event.target.closest('.js-plotly-plot .draglayer')) event.stopPropagation();
};
document.addEventListener('touchstart', leave, { capture: true, passive: true });
