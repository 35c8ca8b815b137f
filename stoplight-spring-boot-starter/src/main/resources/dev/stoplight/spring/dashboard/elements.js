// Small tools for building the page. Whatever comes from the server goes through a text node or an attribute's value, never
// through HTML.

/** These characters, never seen themselves, turn the text around them about, so that a name could pass for another. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with a mark in place of each of them; what is no text stays. */
export const plain = (text) => (typeof text === 'string' ? text.replace(TURNING, '\ufffd') : text);

/** Attributes that people read. */
const READ = new Set(['title', 'aria-label']);

const SVG = 'http://www.w3.org/2000/svg';

/** An element; a string among the children becomes text, null is left out. */
export function el(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for the elements of a picture. */
export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, given] of Object.entries(attributes || {})) {
    const value = READ.has(name) ? plain(given) : given;
    if (name === 'onclick') {
      element.addEventListener('click', value);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined).map(plain));
  return element;
}

/** Sets text only where it differs, so that nothing flickers and a selection survives. */
export function setText(element, text) {
  const shown = plain(text);
  if (element.textContent !== shown) {
    element.textContent = shown;
  }
}

export const WORDS = { red: 'Red', yellow: 'Yellow', green: 'Green' };

/** The colour's own shape: an octagon, a triangle, a circle. */
export function shape(color) {
  const mark = {
    red: () => [
      svg('path', { class: 'shape', d: 'M7.5 2h9L22 7.5v9L16.5 22h-9L2 16.5v-9z' }),
      svg('path', { class: 'mark', d: 'M7 12h10' }),
    ],
    yellow: () => [
      svg('path', { class: 'shape', d: 'M12 2.6c.7 0 1.3.4 1.7 1l8.6 15c.7 1.3-.2 2.9-1.7 2.9H3.4c-1.5 0-2.4-1.6-1.7-2.9l8.6-15c.4-.6 1-1 1.7-1z' }),
      svg('path', { class: 'mark', d: 'M12 9v5M12 17.6v.1' }),
    ],
    green: () => [svg('circle', { class: 'shape', cx: 12, cy: 12, r: 10 }), svg('path', { class: 'mark', d: 'M7.5 12.4l3 3 6-6.4' })],
  }[color]();
  return svg('svg', { class: `icon ${color}`, viewBox: '0 0 24 24', width: 24, height: 24, 'aria-hidden': 'true' }, mark);
}

export function lockIcon() {
  return svg(
    'svg',
    { class: 'lock-icon', viewBox: '0 0 16 16', width: 12, height: 12, 'aria-hidden': 'true' },
    svg('path', { d: 'M4.5 7V5a3.5 3.5 0 0 1 7 0v2' }),
    svg('rect', { x: 3, y: 7, width: 10, height: 7, rx: 1.5 }),
  );
}

/** 75000 → 1:15; what is left is never shown as less than it is. */
export function clock(millis) {
  const seconds = Math.max(0, Math.ceil(millis / 1000));
  const pad = (n) => String(n).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${pad(seconds % 60)}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
}

/** 75000 → 1 min. */
export function span(millis) {
  const seconds = Math.max(0, Math.round(millis / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} days`;
}

/** 30s → 30000, as the server writes durations. */
export function duration(text) {
  const [, amount, unit] = /^(\d+)(ms|s|m|h)$/.exec(text) || [null, '0', 'ms'];
  return Number(amount) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit];
}

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
const DAY_TIME = new Intl.DateTimeFormat(undefined, {
  day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false,
});

/** A moment, as short as it can be said. */
export function moment(iso, now) {
  const at = new Date(iso);
  const today = new Date(now).toDateString() === at.toDateString();
  return el('time', { datetime: iso, title: DAY_TIME.format(at) }, (today ? TIME : DAY_TIME).format(at));
}
