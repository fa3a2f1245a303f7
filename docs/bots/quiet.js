// A Spades bot over the engine protocol: it bids low, takes what it has bid, then throws high cards
// away under the winner. Node alone, no packages. It follows the events for the tricks it still needs.
"use strict";

const RANKS = "23456789TJQKA";
const rank = (card) => RANKS.indexOf(card[1]);
const beats = (card, best) =>
  card[0] === best[0] ? rank(card) > rank(best) : card[0] === "S";

let seat = "";
let hand = [];
let taken = 0;

function bid(legal) {
  const aces = hand.filter((card) => card[1] === "A").length;
  const spades = hand.filter((card) => card[0] === "S" && rank(card) >= 10).length;
  return Math.max(legal[0], 1, Math.min(aces + spades, legal[legal.length - 1]));
}

function play(request) {
  const legal = [...request.legal].sort((a, b) => rank(a) - rank(b));
  const needs = taken < request.bids[seat];
  if (request.trick.length === 0) return needs ? legal[legal.length - 1] : legal[0];
  let best = request.trick[0].card;
  for (const { card } of request.trick) if (beats(card, best)) best = card;
  const winning = legal.filter((card) => beats(card, best));
  const losing = legal.filter((card) => !beats(card, best));
  if (needs && winning.length > 0) return winning[0];
  if (losing.length === 0) return winning[0];
  return needs ? losing[0] : losing[losing.length - 1];
}

const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");

function take(message) {
  const { type, id } = message;
  if (type === "hello") say({ id, protocol: 1, name: "quiet", version: "1.0" });
  if (type === "newround") {
    seat = message.seat;
    hand = message.hand;
    taken = 0;
  }
  if (type === "event" && message.event === "trick") taken = message.tricks[seat];
  if (type === "bid") say({ id, bid: bid(message.legal) });
  if (type === "play") say({ id, card: play(message) });
  if (type === "quit") process.exit(0);
}

const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => take(JSON.parse(line)));
lines.on("close", () => process.exit(0));
