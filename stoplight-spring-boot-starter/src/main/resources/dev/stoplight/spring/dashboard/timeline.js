// A breaker's past as a picture: one lane for each colour, so that it can be read without seeing colour.

import { span, svg, WORDS } from './elements.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const RANGES = [5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY];

const COLORS = { OPEN: 'red', HALF_OPEN: 'yellow', CLOSED: 'green' };
/** Of each breaker the store keeps so many transitions; what was before the oldest of them is forgotten. */
const MOST_KEPT = 50;

const LANES = ['red', 'yellow', 'green'];
const STEPS = [10_000, 30_000, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY];

const GUTTER = 54;
const LANE = 26;
const BAR = 14;
const AXIS = 22;

const SECONDS = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
const MINUTES = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
const DAYS = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** The shortest range that shows the latest few transitions. */
export function fittingRange(transitions, now) {
  if (transitions.length === 0) return RANGES[1];
  const oldest = Date.parse(transitions[Math.min(transitions.length, 6) - 1].at);
  return RANGES.find((range) => now - oldest <= range * 0.95) || RANGES[RANGES.length - 1];
}

/**
 * The stretches of one state between start and now, oldest first and the first of no colour where the past is not known;
 * transitions come newest first. A red light whose cool-off is over is yellow, though no call has made it so yet.
 */
export function stretches({ transitions, state, since, store }, start, now, coolOff) {
  const past = transitions.map((t) => ({ ...t, time: Date.parse(t.at) })).reverse();
  let begin = past.length >= MOST_KEPT ? past.shift() : { time: knownFrom(past, since, store), to: past.length ? past[0].from : state };
  const changes = past.filter((t) => t.from !== t.to);
  const last = changes[changes.length - 1];
  if (state === 'HALF_OPEN' && last && last.to === 'OPEN' && last.time + coolOff < now) {
    changes.push({ from: 'OPEN', to: 'HALF_OPEN', reason: 'cool-off over', time: last.time + coolOff });
  }
  const all = begin.time > start ? [{ color: null, from: start, to: Math.min(begin.time, now) }] : [];
  for (const change of [...changes, null]) {
    const end = change ? change.time : now;
    if (end > start) {
      all.push({ color: COLORS[begin.to], from: Math.max(begin.time, start), to: Math.min(end, now), reason: begin.reason });
    }
    if (change) begin = change;
  }
  return all;
}

/** Without the store an instance knows only what it has seen since. */
function knownFrom(past, since, store) {
  if (store.status !== 'UP') return Math.min(...[store.since, past.length ? past[0].at : since].filter(Boolean).map((at) => Date.parse(at)));
  return past.length || !since ? -Infinity : Date.parse(since);
}

export function timeline(breaker, now, range, width, coolOff) {
  const start = now - range;
  const inner = width - GUTTER - 10;
  const x = (time) => GUTTER + (inner * (time - start)) / range;
  const lane = (color) => 6 + LANES.indexOf(color) * LANE;
  const bottom = 6 + LANES.length * LANE;
  const parts = stretches(breaker, start, now, coolOff);
  const picture = svg('svg', {
    class: 'timeline', width, height: bottom + AXIS, viewBox: `0 0 ${width} ${bottom + AXIS}`, role: 'img', 'aria-label': inWords(parts, range),
  });

  for (const color of LANES) {
    const y = lane(color) + LANE / 2;
    picture.append(
      svg('text', { class: 'lane', x: 0, y: y + 4 }, WORDS[color]),
      svg('line', { class: 'rail', x1: GUTTER, x2: width - 10, y1: y, y2: y }),
    );
  }
  const step = STEPS.find((s) => range / s <= Math.max(2, inner / 90)) || STEPS[STEPS.length - 1];
  const zone = new Date(now).getTimezoneOffset() * MINUTE;
  for (let time = Math.ceil((start - zone) / step) * step + zone; time <= now; time += step) {
    const at = x(time);
    picture.append(svg('line', { class: 'tick', x1: at, x2: at, y1: 6, y2: bottom + 4 }));
    if (at > GUTTER + 16 && at < width - 26) {
      const format = step >= DAY ? DAYS : step < MINUTE ? SECONDS : MINUTES;
      picture.append(svg('text', { class: 'tick-text', x: at, y: bottom + 17, 'text-anchor': 'middle' }, format.format(new Date(time))));
    }
  }
  parts.forEach((part, i) => {
    if (!part.color) {
      const room = x(part.to) - x(part.from);
      picture.append(
        svg('rect', { class: 'unknown', x: x(part.from), y: 6, width: room, height: bottom - 6, rx: 3 }, svg('title', {}, 'Not known')),
        svg('text', { class: 'lane', x: x(part.from) + room / 2, y: bottom / 2 + 7, 'text-anchor': 'middle' }, room > 70 ? 'not known' : ''),
      );
      return;
    }
    const y = lane(part.color) + (LANE - BAR) / 2;
    if (i > 0 && parts[i - 1].color) {
      const before = lane(parts[i - 1].color) + LANE / 2;
      picture.append(svg('line', { class: 'riser', x1: x(part.from), x2: x(part.from), y1: before, y2: y + BAR / 2 }));
    }
    const length = Math.max(2, x(part.to) - x(part.from));
    const bar = svg('rect', { class: `stretch ${part.color}`, x: x(part.from), y, width: length, height: BAR, rx: Math.min(3, length / 3) });
    bar.append(svg('title', {}, `${WORDS[part.color]} for ${span(part.to - part.from)}${part.reason ? `: ${part.reason}` : ''}`));
    picture.append(bar);
  });
  const y = lane(COLORS[breaker.state]) + LANE / 2;
  picture.append(svg('circle', { class: `now ${COLORS[breaker.state]}`, cx: x(now), cy: y, r: 5 }));
  return picture;
}

function inWords(parts, range) {
  const said = parts.map((part) => `${part.color || 'not known'} for ${span(part.to - part.from)}`);
  const unknown = parts.length && !parts[0].color ? said.splice(0, 1) : [];
  return `The last ${span(range)}: ${[...unknown, ...said.slice(-8)].join(', then ')}`;
}
