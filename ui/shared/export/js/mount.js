// An SVG in the document but out of sight, where the browser lays it out; the page's style stays out.

/** What ``act`` finds about an SVG element that is laid out in pixels of its own units. */
export const mounted = async (svg, act) => {
  const host = document.createElement('div');
  host.style.cssText = 'position: fixed; left: -20000px; top: 0;';
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute('width', width);
  svg.setAttribute('height', height);
  document.body.append(host);
  host.attachShadow({ mode: 'open' }).append(svg);
  try {
    return await act(svg);
  } finally {
    host.remove();
  }
};
