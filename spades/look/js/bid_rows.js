// The panel at a bid: a row for every bidder compared, and what BIS makes of a nil.

const BID_HELP = {
  bid: 'The bid this bidder makes, seeing that seat’s hand, the bids before, score and bags. ● the bid made, ≠ another one.',
  often: 'A bidder that draws at random is asked often: share of the times that it makes this bid, with Clopper and Pearson’s 95% interval. The others always bid the same.',
  others: 'What else it bids, commonest first.',
  chance: 'Chance by which BIS bids: its logistic curve for all hands of this nil value after these bids, with the 95% interval of the fit. Bids has the chance of this very hand.',
  value: 'Nil value: product over the suits of the chance to lose every trick there; Cohensius et al. 2020.',
  worth: 'Points that a nil is expected to bring: its worth times 2 p − 1, p the chance. BIS bids nil above the threshold. The line is the interval, the bar across it the threshold.',
  count: 'Tricks that BIS counts in the hand, then with what the bids before add or take; rounded a regular bid, worth so many points.',
};
const MADE_MARK = '●';

const pointsText = (x) => `${formatSigned(x, Math.abs(x) < 9.95 ? 1 : 0)} points`;
const tricksText = (x) => (Math.abs(x) < 0.005 ? '0' : x.toFixed(2).replace('-', '\u2212'));
const chanceOf = (p) => `${(100 * p).toFixed(1)}%`;

function createBidRows(app) {
  const body = el('tbody');
  const often = el('span');
  const th = (name, help, ...children) => el('th', `b-${name}`, { scope: 'col' }, help ? heading(help, ...children) : children[0]);
  const table = el('table', 'bidders', { 'data-testid': 'rv-bids' },
    el('thead', null, null, el('tr', null, null,
      th('who', null, 'Bidder'), th('bid', BID_HELP.bid, 'Bid'),
      th('often', BID_HELP.often, often), th('others', BID_HELP.others, 'Else'))), body);
  const facts = el('dl', 'bid-facts', { 'data-testid': 'rv-bid-facts' });
  const link = el('a', 'bidding-link', { target: '_blank', rel: 'noopener', 'data-testid': 'rv-bidding-link' }, 'Open in Bids');
  const root = el('div', 'bid-rows', null, table, facts, link);
  root.addEventListener('click', (event) => {
    const explained = event.target.closest('button');
    if (explained) app.toast.say(explained.title, 6000);
  });
  return { root, body, often, facts, link };
}

/** A heading that explains itself when it is clicked or tapped. */
const heading = (help, ...children) => el('button', 'explained', { type: 'button', title: help }, ...children);

/** Fill the panel with a bid's answers; without one nothing of another stays in the page. */
function updateBidRows(rows, decision) {
  rows.root.hidden = !decision;
  rows.body.replaceChildren(...(decision ? decision.rows.map(bidderRow) : []));
  rows.facts.replaceChildren(...(decision ? bidFacts(decision) : []));
  if (!decision) {
    rows.link.removeAttribute('href');
    return;
  }
  setText(rows.often, `How often, of ${Math.max(...decision.rows.map((row) => row.n))}`);
  setAttribute(rows.link, 'href', decision.link);
}

function bidderRow(row) {
  const mark = row.is_made ? ['mark', 'the bid made', MADE_MARK] : ['mark differs', 'another bid than the one made', '≠'];
  const others = row.others.map((other) => el(
    'span', other.is_made ? 'made' : null, { title: other.is_made ? 'the bid made' : null },
    `${other.is_made ? `${MADE_MARK} ` : ''}${other.bid}: ${formatPercent(other.share)}`,
  ));
  return el(
    'tr', `bidder-${row.id}${row.is_made ? ' is-made' : ''}`, { 'data-testid': 'rv-bid-row', 'data-bidder': row.id },
    el('th', 'b-who', { scope: 'row' }, row.label),
    el('td', 'b-bid', null, el('span', mark[0], { title: mark[1] }, mark[2]), el('b', null, null, row.bid)),
    el('td', 'b-often', null, ...oftenCell(row)),
    el('td', 'b-others', null, ...others),
  );
}

/** Bar, share and interval of a bidder that draws at random; the others bid the same every time. */
function oftenCell(row) {
  if (row.share === null) return [el('span', 'always', null, 'always')];
  const fill = el('i');
  fill.style.width = percentWidth(row.share);
  return [
    el('span', 'track', null, fill),
    el('span', 'number', null, formatPercent(row.share), ' ', el('small', null, null, `(${formatPercent(row.low)} to ${formatPercent(row.high)})`)),
  ];
}

function bidFacts(decision) {
  const { nil, count } = decision;
  const fact = (label, help, ...children) => el('div', null, null, el('dt', null, null, heading(help, label)), el('dd', null, null, ...children));
  const counted = fact('BIS counts', BID_HELP.count,
    el('b', null, null, tricksText(count.hand)), ` in hand, ${tricksText(count.total)} with the bids: `,
    el('b', null, null, String(count.regular)), `, ${pointsText(count.points)}`);
  if (!nil) return [counted, el('div', 'plain', null, 'These rules have no nil.')];
  if (!nil.may) return [counted, el('div', 'plain', null, 'BIS bids no nil here: the partner did, or the rules ask for tricks.')];
  if (nil.denied) return [counted, fact('No nil', BID_HELP.value, nil.denied)];
  const hasRange = nil.low !== null;
  return [
    counted,
    fact('BIS’s chance of nil', `${BID_HELP.chance} Fitted to ${formatCount(nil.n)} simulated nils.`,
      el('b', null, null, chanceOf(nil.chance)), hasRange ? ` (${chanceOf(nil.low)} to ${chanceOf(nil.high)})` : null),
    fact('Nil value', BID_HELP.value, el('b', null, null, nil.value.toFixed(3))),
    fact('Nil expected', BID_HELP.worth, el('b', null, null, pointsText(nil.expected)),
      nil.expected > nil.threshold ? ', over ' : ', not over ', `the threshold ${formatSigned(nil.threshold, 0)}`,
      nil.is_close ? ' (too close to call)' : null, nilScale(nil)),
  ];
}

/** Expected points of a nil on a line from a sure failure to a sure success, with the threshold. */
function nilScale(nil) {
  const along = (p) => percentWidth(p);
  const line = el('i', 'line');
  const dot = el('i', 'dot');
  const bar = el('i', 'threshold');
  line.style.left = along(nil.low ?? nil.chance);
  line.style.width = along((nil.high ?? nil.chance) - (nil.low ?? nil.chance));
  dot.style.left = along(nil.chance);
  bar.style.left = along(nil.break_even);
  return el('span', 'interval', { 'aria-hidden': 'true' }, line, dot, bar);
}
