// Cards: what a text such as `HT` means, and how it looks.

const SUIT_PATHS = {
  S: 'M50 4C50 4 9 40 9 63c0 14 11 22 23 21 7-.6 12-4 15-9-1 10-5 17-13 21h32c-8-4-12-11-13-21 3 5 8 8.400 15 9 12 1 23-7 23-21C91 40 50 4 50 4z',
  H: 'M50 93S7 60 7 32C7 17 18 8 29.500 8 39 8 46.500 14 50 23 53.500 14 61 8 70.500 8 82 8 93 17 93 32c0 28-43 61-43 61z',
  D: 'M50 3c9 18 21 34 36 47-15 13-27 29-36 47-9-18-21-34-36-47C29 37 41 21 50 3z',
  C: 'M50 5a21 21 0 0 1 16.500 34A21 21 0 1 1 54 73c1.500 10 5 18 13 23H33c8-5 11.500-13 13-23A21 21 0 1 1 33.500 39 21 21 0 0 1 50 5z',
  J: 'M50 4l13.600 30.200 32.900 3.500-24.600 22.100 7 32.400L50 75.600 21.100 92.200l7-32.400L3.500 37.700l32.900-3.500z',
};
const SUIT_NAMES = { S: 'spades', H: 'hearts', D: 'diamonds', C: 'clubs' };
const RANK_NAMES = { T: '10', J: 'jack', Q: 'queen', K: 'king', A: 'ace' };
const RANK_ORDER = '23456789TJQKA';
const SUIT_SIGNS = { S: '♠\uFE0E', H: '♥\uFE0E', D: '♦\uFE0E', C: '♣\uFE0E' };

const isJoker = (card) => card[0] === 'J';

/** The rank as printed: 10 for T, an arrow for a joker. */
function rankText(card) {
  if (isJoker(card)) return card[1] === 'H' ? '▲' : '▽';
  return card[1] === 'T' ? '10' : card[1];
}

/** "king of hearts". */
function cardName(card) {
  if (isJoker(card)) return card[1] === 'H' ? 'high joker' : 'low joker';
  return `${RANK_NAMES[card[1]] || card[1]} of ${SUIT_NAMES[card[0]]}`;
}

/** "K♥", for titles. */
function cardShort(card) {
  return isJoker(card) ? cardName(card) : rankText(card) + SUIT_SIGNS[card[0]];
}

/** The suit a card counts as: jokers and some deuces are spades. */
function suitOf(card, round) {
  return isJoker(card) || round.trump_extra.includes(card) ? 'S' : card[0];
}

/** Strength inside the suit that the card counts as. */
function strengthOf(card, round) {
  if (isJoker(card)) return card[1] === 'H' ? 100 : 99;
  if (round.trump_extra.includes(card)) return 98;
  if (card === 'S2' && round.deck.includes('deuce')) return 97;
  return RANK_ORDER.indexOf(card[1]);
}

function beats(card, best, round) {
  const suit = suitOf(card, round);
  if (suit === suitOf(best, round)) return strengthOf(card, round) > strengthOf(best, round);
  return suit === 'S';
}

const suitIcon = (card, className) => icon(SUIT_PATHS[card[0]], className || 'pip', 100);

function suitClass(card) {
  if (isJoker(card)) return card[1] === 'H' ? 'joker high' : 'joker low';
  return `suit-${card[0]}`;
}

/** A card face. Without `label` it is decoration for assistive technology (its hand is named). */
function cardFace(card, round, className = '', label = false) {
  const foreign = !isJoker(card) && suitOf(card, round) !== card[0];
  const name = cardName(card) + (foreign || isJoker(card) ? ', counts as a spade' : '');
  const index = el('span', 'index', null, el('span', 'rank', null, rankText(card)), suitIcon(card));
  if (foreign) index.append(icon(SUIT_PATHS.S, 'pip as-spade', 100));
  return el(
    'span',
    `card ${suitClass(card)} ${rankText(card).length > 1 ? 'wide' : ''} ${className}`,
    {
      'data-card': card,
      title: name,
      role: label ? 'img' : null,
      'aria-label': label ? name : null,
      'aria-hidden': label ? null : 'true',
    },
    index,
    isJoker(card) ? el('span', 'joker-word', null, 'JOKER') : suitIcon(card, 'face'),
  );
}

const cardBack = () => el('span', 'card back', { 'aria-hidden': 'true' });

/** A card the size of a word: rank and suit side by side. */
function cardChip(card, round) {
  const chip = cardFace(card, round, 'chip', true);
  if (isJoker(card)) setText(chip.querySelector('.rank'), card[1] === 'H' ? 'high' : 'low');
  return chip;
}
