// The page: asks its server every few seconds, shows every light, and lets an operator change one.

import { clock, duration, el, lockIcon, moment, plain, setText, shape, span, WORDS } from './elements.js';
import { fittingRange, RANGES, timeline } from './timeline.js';

const REFRESH_MILLIS = 2000;
const TICK_MILLIS = 200;
const PATIENCE_MILLIS = 8000;
const PAGE_SIZE = 50;
const MOST_PIPS = 10;

const $ = (id) => document.getElementById(id);

// ---------------------------------------------------------------- the server

/** The server answered, but not with what was asked for. */
class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  const response = await fetch(path, {
    cache: 'no-store',
    credentials: 'same-origin',
    redirect: 'manual',
    signal: AbortSignal.timeout(PATIENCE_MILLIS),
    ...options,
    headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest', ...options.headers },
  });
  if (response.type === 'opaqueredirect' || response.status === 401) {
    throw new Refused(401, 'You are signed out. Reload the page to sign in again.');
  }
  if (response.ok) {
    return response.status === 204 ? null : response.json();
  }
  const problem = await response.json().catch(() => ({}));
  throw new Refused(response.status, problem.detail || (response.status === 403 ? 'You are not allowed to do this.' : `The server answered ${response.status}.`));
}

/** Changes one breaker; fetches what the application wants to see with a change right before, since it may expire. */
async function change(method, id, body) {
  const csrf = await ask('api/csrf');
  const headers = body ? { 'Content-Type': 'application/json' } : {};
  if (csrf.header) headers[csrf.header] = csrf.token;
  return ask(`api/breaker?id=${encodeURIComponent(id)}`, { method, headers, body: body && JSON.stringify(body) });
}

// ---------------------------------------------------------------- what is known

const view = {
  color: '',
  search: '',
  page: 0,
  id: null,
  range: null,
  detail: null,
  serverMillis: Date.now(),
  receivedAt: performance.now(),
  seenColors: new Map(),
  answered: false,
  lost: false,
  storeUp: true,
  reveal: false,
  turned: null,
};

/** The server's time, so that a wrong clock on this side shows nothing wrong. */
const now = () => view.serverMillis + performance.now() - view.receivedAt;

let timer = 0;
let asking = false;
let askAgain = false;

async function refresh() {
  clearTimeout(timer);
  if (asking) {
    askAgain = true;
    return;
  }
  asking = true;
  const id = view.id;
  const query = new URLSearchParams({ page: view.page, size: PAGE_SIZE, color: view.color, search: view.search });
  try {
    const [list, detail] = await Promise.all([
      ask(`api/breakers?${query}`),
      id === null ? null : ask(`api/breaker?id=${encodeURIComponent(id)}`).catch((e) => (e instanceof Refused ? e : Promise.reject(e))),
    ]);
    view.serverMillis = Date.parse(list.time);
    view.receivedAt = performance.now();
    view.answered = true;
    found();
    showHeader(list);
    showList(list);
    if (id !== null && id === view.id) showDetail(detail);
  } catch (e) {
    lose(e);
  }
  asking = false;
  const next = askAgain ? 0 : document.hidden ? REFRESH_MILLIS * 10 : REFRESH_MILLIS;
  askAgain = false;
  timer = setTimeout(refresh, next);
}

function lose(error) {
  if (!view.lost) {
    view.lost = true;
    document.body.classList.add('stale');
    $('freshness').className = 'freshness is-lost';
    setText($('freshness'), 'Not connected');
  }
  setText($('lost'), error instanceof Refused ? error.message
    : view.answered ? `Lost the server. What you see is from ${moment(new Date(view.serverMillis).toISOString(), now()).textContent}; trying again.`
      : 'The server does not answer; trying again.');
  $('lost').hidden = false;
}

function found() {
  if (view.lost) {
    view.lost = false;
    document.body.classList.remove('stale');
    $('lost').hidden = true;
    announce('Connected again');
  }
  $('freshness').className = 'freshness is-live';
  setText($('freshness'), 'Live');
}

function announce(text) {
  $('announcer').textContent = plain(text);
}

// ---------------------------------------------------------------- the list

const rows = new Map();

function showHeader({ store, instance, counts, page }) {
  const up = store.status === 'UP';
  $('store').className = `store ${up ? 'is-up' : 'is-down'}`;
  $('store').title = store.detail;
  setText($('store'), `Store: ${store.type}, ${up ? 'up' : 'down'}`);
  $('store-down').hidden = up;
  if (!up) {
    const since = moment(store.since, now()).textContent;
    setText($('store-down'), `The store (${store.type}) has been down since ${since}. Every instance goes on by itself: this is the view of ${instance} alone, and changes are refused. ${store.detail}`);
  }
  for (const color of ['', 'red', 'yellow', 'green']) {
    const button = filterButtons.get(color);
    setText(button.count, String(color ? counts[color] : counts.red + counts.yellow + counts.green));
    button.element.setAttribute('aria-pressed', String(view.color === color));
  }
  document.title = counts.red ? `(${counts.red} red) Stoplight` : 'Stoplight';
  const more = page.complete ? '' : ' The store knows of very many breakers; of those in use elsewhere, only the latest are listed.';
  setText($('foot'), `Answered by ${instance}. Keys are listed while something is up with them.${more}`);
}

function showList({ breakers, page, enabled }) {
  if (!breakers.length && page.number > 0 && page.number === view.page) {
    // Beyond the end, since what was there has recovered.
    view.page = Math.max(0, Math.min(page.number, Math.ceil(page.total / page.size)) - 1);
    refresh();
    return;
  }
  const focused = document.activeElement;
  const list = $('lights');
  const place = [...list.children].indexOf(focused.parentElement);
  const wanted = new Set(breakers.map((b) => b.id));
  for (const [id, row] of rows) {
    if (!wanted.has(id)) {
      row.item.remove();
      rows.delete(id);
    }
  }
  breakers.forEach((breaker, i) => {
    let row = rows.get(breaker.id);
    if (!row) {
      row = newRow(breaker.id);
      rows.set(breaker.id, row);
    }
    updateRow(row, breaker);
    if (list.children[i] !== row.item) list.insertBefore(row.item, list.children[i] || null);
  });
  if (focused !== document.activeElement && list.contains(focused)) {
    focused.focus({ preventScroll: true });
  } else if (place >= 0 && !list.contains(focused)) {
    const instead = list.children[Math.min(place, breakers.length - 1)];
    (instead ? instead.firstChild : $('search')).focus({ preventScroll: true });
  }

  $('empty').hidden = breakers.length > 0;
  setText($('empty'), view.color || view.search ? 'No light matches.'
    : enabled ? 'No breakers yet: each appears with its first use.'
      : 'Stoplight is switched off by stoplight.enabled: every call runs, and nothing is counted.');
  const first = page.number * page.size;
  $('pager').hidden = page.total <= page.size && page.number === 0;
  setText($('page-text'), page.total ? `${first + 1}–${first + breakers.length} of ${page.total}` : '');
  $('previous').disabled = page.number === 0;
  $('next').disabled = first + page.size >= page.total;
  if (view.turned && page.number === view.page) showTurned();
  if (view.reveal) revealRow();
  view.reveal = false;
  noticeChanges(breakers);
}

/** A page is read from its top, and the button that led to the last one is no place for the focus. */
function showTurned() {
  const button = $(view.turned);
  if (button.disabled && [button, document.body].includes(document.activeElement)) {
    $(view.turned === 'next' ? 'previous' : 'next').focus({ preventScroll: true });
  }
  view.turned = null;
  $('list').scrollTop = 0;
  if ($('list').getBoundingClientRect().top < 0) $('list').scrollIntoView();
}

/** Scrolls the side list, and only that, until the row of the light that is open can be seen. */
function revealRow() {
  const row = rows.get(view.id)?.link.getBoundingClientRect();
  const list = $('list').getBoundingClientRect();
  if (row && (row.top < list.top || row.bottom > Math.min(list.bottom, innerHeight))) {
    $('list').scrollTop += row.top - list.top - (list.height - row.height) / 2;
  }
}

function noticeChanges(breakers) {
  const said = [];
  for (const { id, color } of breakers) {
    const before = view.seenColors.get(id);
    if (before && before !== color) said.push(`${id} turned ${color}`);
    view.seenColors.set(id, color);
  }
  if (said.length) announce(said.slice(0, 3).join(', ') + (said.length > 3 ? ` and ${said.length - 3} more changed` : ''));
}

const address = (id) => `#/${encodeURIComponent(id)}`;

function newRow(id) {
  const parts = {
    state: el('span', { class: 'row-state' }),
    name: el('span', { class: 'row-name', title: id }),
    failures: el('span', { class: 'row-failures' }),
    now: el('span', { class: 'row-now' }),
    since: el('span', { class: 'row-since' }),
  };
  const link = el('a', { class: 'row', href: address(id) }, Object.values(parts));
  return { item: el('li', {}, link), link, ...parts, shown: '' };
}

function updateRow(row, b) {
  if (b.id === view.id) row.link.setAttribute('aria-current', 'true');
  else row.link.removeAttribute('aria-current');
  setDeadline(row.now, b);
  row.since.dataset.since = b.since || '';
  const { retryAfterMs, ...rest } = b;
  const shown = JSON.stringify(rest);
  if (row.shown !== shown) {
    row.shown = shown;
    row.link.className = `row ${b.color}`;
    row.state.replaceChildren(shape(b.color), el('b', {}, WORDS[b.color]));
    row.name.replaceChildren(...title(b), ...chips(b));
    row.failures.replaceChildren(...failureBar(b));
    row.now.replaceChildren(...nowText(b));
  }
  tickElement(row.now);
  tickElement(row.since);
}

function title(b) {
  return [el('span', { class: 'name' }, b.name), b.key === null ? null : el('span', { class: 'key' }, el('span', { class: 'hidden' }, ', key '), b.key)].filter(Boolean);
}

function chips(b) {
  const all = [];
  if (b.lock) all.push(el('span', { class: 'chip chip-lock' }, lockIcon(), `locked ${b.lock.toLowerCase()}`));
  if (!b.enabled) all.push(el('span', { class: 'chip chip-off' }, 'off'));
  return all;
}

function failureBar(b) {
  if (b.mode === 'rate') return [el('span', { class: 'count' }, `${b.failures} failed`)];
  const bar = el('span', { class: 'bar', 'aria-hidden': 'true' });
  if (b.threshold <= MOST_PIPS) {
    for (let i = 0; i < b.threshold; i++) bar.append(el('span', { class: i < b.failures ? 'pip full' : 'pip' }));
  } else {
    const fill = el('span', { class: 'fill' });
    fill.style.width = `${Math.min(100, (100 * b.failures) / b.threshold)}%`;
    bar.append(el('span', { class: 'pip long' }, fill));
  }
  return [bar, el('span', { class: 'count' }, `${b.failures} / ${b.threshold}`, el('span', { class: 'hidden' }, ' failures'))];
}

function nowText(b) {
  if (!b.enabled) return ['Lets every call through'];
  if (b.lock === 'OPEN') return ['Rejects every call'];
  if (b.lock === 'CLOSED') return ['Lets every call through'];
  if (b.color === 'red') return ['Probe in ', el('span', { class: 'countdown' })];
  if (b.color === 'yellow') return [b.probes ? `Probing: ${b.probes} of ${b.halfOpenCalls}` : 'Waits for a probe'];
  return [b.failures ? 'Calls run, some fail' : 'Calls run'];
}

// ---------------------------------------------------------------- time passes

function setDeadline(element, b) {
  const counts = b.color === 'red' && !b.lock && b.enabled;
  if (counts) element.dataset.deadline = String(performance.now() + b.retryAfterMs);
  else delete element.dataset.deadline;
}

function tickElement(element) {
  if (element.dataset.deadline !== undefined) {
    const left = Number(element.dataset.deadline) - performance.now();
    const text = element.querySelector('.countdown');
    if (text) setText(text, clock(left));
    if (left <= 0 && left > -TICK_MILLIS && !view.lost) refresh();
  }
  if (element.dataset.since !== undefined) {
    setText(element, element.dataset.since ? span(now() - Date.parse(element.dataset.since)) : '');
  }
  if (element.dataset.whole !== undefined) {
    const left = Math.max(0, Number(element.dataset.deadline) - performance.now());
    element.style.width = `${Math.min(100, (100 * left) / Number(element.dataset.whole))}%`;
  }
}

setInterval(() => {
  if (!view.lost) document.querySelectorAll('[data-deadline], [data-since]').forEach(tickElement);
}, TICK_MILLIS);

// ---------------------------------------------------------------- the detail

const sections = new Map();

/** Rebuilds a section only when what it shows has changed, and keeps the focus where it was. */
function section(name, data, build) {
  const shown = JSON.stringify(data);
  let known = sections.get(name);
  if (known && known.shown === shown) return known.element;
  if (!known) {
    known = { element: el('div', { class: `part part-${name}` }) };
    sections.set(name, known);
  }
  const focusKey = known.element.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  known.shown = shown;
  known.element.replaceChildren(...build());
  if (focusKey) refocus(known.element, focusKey);
  return known.element;
}

/** Focuses what has been drawn anew, or what is nearest to it where it is gone. */
function refocus(within, key) {
  (within.querySelector(`[data-focus="${CSS.escape(key)}"]`) || within.querySelector('button') || $('detail')).focus({ preventScroll: true });
}

function showDetail(d) {
  const panel = $('detail');
  panel.hidden = false;
  document.body.classList.add('has-detail');
  view.detail = d;
  view.storeUp = d.store?.status === 'UP';
  const parts = d instanceof Refused ? [section('refused', [d.status, d.message], () => refusal(d))] : [
    section('head', [d.id, d.color, d.lock, d.enabled], () => head(d)),
    section('status', [d.color, d.lock, d.enabled, d.probes, d.halfOpenCalls, d.failures, d.threshold, d.mode, d.since, d.settings['recovery-threshold']], () => status(d)),
    section('actions', [d.id, d.lock, d.store.status], () => actions(d)),
    section('timeline', [d.transitions, d.state, d.since, d.store.status, view.range, Math.floor(now() / 1000), panel.clientWidth], () => past(d)),
    section('failures', [d.recentFailures, d.settings.window, d.store.status, d.color, d.lock, d.transitions], () => failures(d)),
    section('settings', [d.settings, d.store.status], () => settings(d)),
    section('instances', [d.recentFailures, d.transitions, d.calls, d.instance, d.store], () => instances(d)),
  ];
  if (panel.children.length !== parts.length || parts.some((part, i) => panel.children[i] !== part)) {
    const focused = panel.contains(document.activeElement);
    panel.replaceChildren(...parts);
    if (focused) panel.focus({ preventScroll: true });
  }
  for (const element of panel.querySelectorAll('.status-now, .status-fill')) {
    setDeadline(element, d);
    tickElement(element);
  }
}

function closeButton() {
  return el('a', { class: 'close', href: '#', 'data-focus': 'close' }, el('span', { 'aria-hidden': 'true' }, '←'), ' All lights');
}

function refusal({ status: code, message }) {
  return [closeButton(), el('h2', { id: 'detail-title' }, code === 404 ? 'No such breaker' : 'Cannot be shown'), el('p', { class: 'muted' }, message)];
}

function head(d) {
  return [
    closeButton(),
    el('div', { class: 'head-title' }, shape(d.color), el('h2', { id: 'detail-title' }, el('span', { class: 'hidden' }, `${WORDS[d.color]}: `), title(d))),
    el('p', { class: 'head-chips' }, el('span', { class: `chip chip-state ${d.color}` }, WORDS[d.color]), chips(d), el('span', { class: 'chip' }, d.settings.mode.value)),
  ];
}

function status(d) {
  const whole = d.retryAfterMs + (d.since ? Math.max(0, now() - Date.parse(d.since)) : 0);
  const sentence = el('p', { class: 'status-now' }, statusText(d));
  const facts = [['Failures', failureBar(d)]];
  if (d.since) facts.push(['In this state', [el('span', { 'data-since': d.since })]]);
  if (d.color === 'yellow') facts.push(['Probes in flight', [`${d.probes} of ${d.halfOpenCalls}`]]);
  const parts = [sentence];
  if (d.color === 'red' && !d.lock && d.enabled) {
    parts.push(el('div', { class: 'status-bar', 'aria-hidden': 'true' }, el('div', { class: 'status-fill', 'data-whole': whole })));
  }
  parts.push(el('dl', { class: 'facts' }, facts.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value)))));
  return parts;
}

function statusText(d) {
  if (!d.enabled) return ['Switched off: every call runs and nothing is counted.'];
  if (d.lock === 'OPEN') return ['Locked open: every call is rejected until someone unlocks it.'];
  if (d.lock === 'CLOSED') return ['Locked closed: every call runs and nothing is counted until someone unlocks it.'];
  if (d.color === 'red') return ['Calls are rejected. The first probe may run in ', el('strong', { class: 'countdown' }), '.'];
  if (d.color === 'yellow') {
    const needed = d.settings['recovery-threshold'].value;
    const much = needed === 1 ? 'One successful probe closes it' : `${needed} successful probes close it`;
    return [`${d.probes ? 'Probes are finding out whether the dependency has recovered' : 'The next call is a probe'}. ${much}, one failure opens it again.`];
  }
  return [d.failures ? 'Calls run, and some have failed.' : 'Calls run.'];
}

const ACTIONS = {
  'lock-open': ['Lock open', 'Every instance rejects every call, until someone unlocks it.', 'danger'],
  'lock-closed': ['Lock closed', 'Every instance lets every call through and counts nothing, until someone unlocks it.', 'primary'],
  unlock: ['Unlock', 'It starts afresh on every instance: green, with nothing counted.', 'primary'],
  reset: ['Reset', 'It turns green on every instance, with nothing counted. A lock stays.', 'primary'],
  'clear-overrides': ['Clear changes', 'The configured settings hold again on every instance.', 'primary'],
};

function actions(d) {
  const buttons = (d.lock ? ['unlock'] : ['lock-open', 'lock-closed']).concat('reset').map((action) => actionButton(d.id, action));
  buttons.push(
    changeButton({
      class: 'quiet', 'data-focus': 'forget',
      onclick: () => confirm({
        title: 'Forget', id: d.id, danger: true,
        text: 'Every trace of it is removed on every instance: failures, history, lock and changed settings. Its next call starts it anew.',
        run: () => change('DELETE', d.id),
        done: () => { location.hash = '#'; },
      }),
    }, 'Forget…'),
  );
  return [el('div', { class: 'buttons', role: 'group', 'aria-label': 'Actions' }, buttons)];
}

/** While the store is down it refuses, and says so; it can be focused all the same, so that the focus stays where it is. */
function changeButton({ onclick, ...attributes }, text) {
  const refused = view.storeUp ? {} : { 'aria-disabled': 'true', title: 'The store is down: nothing can be changed until it is back.' };
  return el('button', { type: 'button', ...attributes, ...refused, onclick: () => view.storeUp && onclick() }, text);
}

function actionButton(id, action) {
  const [name, text, kind] = ACTIONS[action];
  return changeButton({
    'data-focus': action, 'data-action': action,
    onclick: () => confirm({ title: name, id, text, danger: kind === 'danger', run: () => change('POST', id, { action }) }),
  }, `${name}…`);
}

function past(d) {
  const at = now();
  const range = view.range || fittingRange(d.transitions, at);
  const choice = el('select', { 'aria-label': 'Range of the timeline', 'data-focus': 'range' },
    RANGES.map((r) => el('option', { value: r, selected: r === range }, `Last ${span(r)}`)));
  choice.addEventListener('change', () => {
    view.range = Number(choice.value);
    showDetail(view.detail);
  });
  const width = Math.max(260, $('detail').clientWidth - 2 * PART_PADDING);
  const entries = d.transitions.map((t) => el('li', {},
    moment(t.at, at), el('span', { class: 'change' }, stateWord(t.from), el('span', { class: 'arrow' }, ' → '), stateWord(t.to)),
    el('span', { class: 'reason', title: t.reason }, reason(t)), el('span', { class: 'instance' }, t.instance)));
  return [
    el('div', { class: 'part-top' }, el('h3', {}, 'Timeline'), choice),
    timeline(d, at, range, width, coolOffMillis(d)),
    entries.length ? folded('transitions', `${entries.length} ${entries.length === 1 ? 'transition' : 'transitions'}`, el('ul', { class: 'log' }, entries))
      : el('p', { class: 'muted' }, d.store.status === 'UP' ? 'It has never changed.' : PAST_IS_ELSEWHERE),
  ];
}

/** Why, with the class as short as it can be said; the server writes it in parentheses. */
function reason(transition) {
  return transition.reason.replace(/\((?:[\p{L}\p{N}_$]+\.)+/u, '(');
}

const PAST_IS_ELSEWHERE = 'None since the store went down; what was before is in the store.';

/** How long a red light stays red, where that can be told afterwards: not when it grows with each trip. */
function coolOffMillis(d) {
  return d.settings['cool-off-multiplier'].value === 1 ? duration(d.settings['cool-off'].value) : Infinity;
}

const PART_PADDING = 20;
const unfolded = new Set(['transitions']);

/** What may be long can be folded away, and stays so. */
function folded(name, text, content) {
  const box = el('details', { open: unfolded.has(name) }, el('summary', { 'data-focus': `fold-${name}` }, text), content);
  box.addEventListener('toggle', () => (box.open ? unfolded.add(name) : unfolded.delete(name)));
  return box;
}

function stateWord(state) {
  const color = { OPEN: 'red', HALF_OPEN: 'yellow', CLOSED: 'green' }[state];
  return el('span', { class: `word ${color}` }, color);
}

function failures(d) {
  const list = d.recentFailures.map((f) => el('li', {},
    el('div', { class: 'failure-top' }, moment(f.at, now()), el('span', { class: 'error', title: f.error }, f.error.slice(f.error.lastIndexOf('.') + 1)),
      f.durationMs ? el('span', { class: 'muted' }, `${f.durationMs} ms`) : null, el('span', { class: 'instance' }, f.instance)),
    f.message ? el('p', { class: 'message' }, f.message) : null));
  return [
    el('div', { class: 'part-top' }, el('h3', {}, 'Recent failures'), el('span', { class: 'muted' }, `last ${d.settings.window.value}`)),
    list.length ? el('ul', { class: 'failures' }, list) : el('p', { class: 'muted no-failures' }, noFailures(d)),
  ];
}

function noFailures(d) {
  if (d.store.status !== 'UP') return [PAST_IS_ELSEWHERE];
  const trip = d.color === 'green' || d.lock ? null : d.transitions.find((t) => t.to === 'OPEN');
  return trip ? ['They have left the window. It turned red at ', moment(trip.at, now()), ` on ${trip.instance}: ${reason(trip)}`] : ['None in the window.'];
}

function settings(d) {
  const changed = Object.values(d.settings).some((s) => s.source === 'runtime' && !s.of);
  const lines = Object.entries(d.settings).map(([name, { value, source, of }]) => el('tr', { class: source === 'runtime' ? 'is-runtime' : null },
    el('th', { scope: 'row' }, name),
    el('td', { class: 'value' }, shownValue(value)),
    el('td', {}, el('span', { class: `source source-${source}`, title: of }, of ? `${source}, of ${of}` : source)),
    el('td', { class: 'edit' }, changeButton({
      class: 'quiet', 'data-focus': `change-${name}`, 'aria-label': `Change ${name}`,
      onclick: () => edit(d.id, name, value),
    }, 'Change'))));
  return [
    el('div', { class: 'part-top' }, el('h3', {}, 'Settings'), changed ? actionButton(d.id, 'clear-overrides') : null),
    el('table', { class: 'settings' },
      el('thead', { class: 'hidden' }, el('tr', {}, ['Setting', 'Value', 'Source', 'Change'].map((h) => el('th', { scope: 'col' }, h)))),
      el('tbody', {}, lines)),
  ];
}

function shownValue(value) {
  if (Array.isArray(value)) return value.length ? value.map((name) => el('div', { title: name }, name)) : el('span', { class: 'muted' }, 'none');
  return String(value);
}

function instances(d) {
  const seen = new Map([[d.instance, { failures: 0, last: null }]]);
  for (const f of d.recentFailures) {
    const one = seen.get(f.instance) || { failures: 0, last: null };
    seen.set(f.instance, { failures: one.failures + 1, last: one.last || f.at });
  }
  for (const t of d.transitions.slice(0, 10)) {
    if (t.instance && !seen.has(t.instance)) seen.set(t.instance, { failures: 0, last: null });
  }
  const lines = [...seen].map(([name, { failures: count, last }]) => el('tr', {},
    el('th', { scope: 'row' }, name, name === d.instance ? el('span', { class: 'chip' }, 'this one') : null),
    el('td', {}, String(count)), el('td', {}, last ? moment(last, now()) : '–')));
  const calls = Object.entries(d.calls).map(([name, count]) => el('div', {}, el('dt', {}, name), el('dd', {}, count.toLocaleString())));
  return [
    el('div', { class: 'part-top' }, el('h3', {}, 'Instances'), el('span', { class: 'muted' }, `store: ${d.store.type}, ${d.store.status.toLowerCase()}`)),
    el('table', { class: 'instances' },
      el('thead', {}, el('tr', {}, ['Instance', 'Failures', 'Last failure'].map((h) => el('th', { scope: 'col' }, h)))),
      el('tbody', {}, lines)),
    el('h4', {}, `Calls on ${d.instance}`),
    el('dl', { class: 'facts calls' }, calls),
  ];
}

// ---------------------------------------------------------------- dialogs

let pending = null;

/** Asks before anything is changed; a refusal is shown where it was asked for. */
function confirm({ title: name, id, text, field, danger, run, done }) {
  pending = { run, done, said: `${name}: ${id}`, from: document.activeElement.dataset.focus };
  $('dialog-title').replaceChildren(`${name} `, el('span', { class: 'name' }, id));
  setText($('dialog-text'), text);
  $('dialog-field').replaceChildren(...(field || []));
  $('dialog-error').hidden = true;
  $('dialog-confirm').className = danger ? 'danger' : 'primary';
  setText($('dialog-confirm'), name);
  busy(false);
  $('dialog').showModal();
  const input = $('dialog-field').querySelector('input, select, textarea');
  (input || $('dialog-cancel')).focus();
  input?.select?.();
}

function busy(is) {
  $('dialog-confirm').disabled = is;
}

$('dialog').addEventListener('close', () => {
  // The button that opened it may have been drawn anew meanwhile.
  const nowhere = document.activeElement === document.body || $('dialog').contains(document.activeElement);
  if (nowhere && view.id !== null) refocus($('detail'), pending.from);
});
$('dialog-cancel').addEventListener('click', () => $('dialog').close());
$('dialog-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { run, done, said } = pending;
  busy(true);
  try {
    const result = await run($('dialog-field').querySelector('input, select, textarea')?.value);
    $('dialog').close();
    announce(`Done. ${said}`);
    if (done) done();
    else if (result && result.id === view.id) showDetail(result);
    refresh();
  } catch (e) {
    setText($('dialog-error'), e instanceof Refused ? e.message : 'The server cannot be reached. It is not known whether anything was changed.');
    $('dialog-error').hidden = false;
    busy(false);
    if (document.activeElement === document.body) $('dialog-confirm').focus();
  }
});

const NUMBERS = {
  'failure-rate': 'A number above 0 and at most 1; 0.5 is half of the calls.',
  'cool-off-multiplier': 'A number, at least 1 and at most 1000; 2 doubles the cool-off with each failed recovery.',
};
const MAY_BE_OFF = new Set(['slow-call', 'max-average-latency']);

function edit(id, name, value) {
  const options = name === 'mode' ? ['consecutive', 'count', 'rate'] : typeof value === 'boolean' ? ['true', 'false'] : null;
  const attributes = { id: 'new-value', 'aria-describedby': 'new-value-hint', autocomplete: 'off', spellcheck: 'false' };
  const input = options ? el('select', attributes, options.map((o) => el('option', { value: o, selected: o === String(value) }, o)))
    : Array.isArray(value) ? el('textarea', { ...attributes, rows: 3 }, value.join(',\n')) : el('input', { ...attributes, value });
  const hint = Array.isArray(value) ? 'Class names, separated by commas.'
    : typeof value === 'string' && !options ? `A duration such as 500ms, 30s or 5m${MAY_BE_OFF.has(name) ? ', or off' : ''}; a bare number is milliseconds.`
      : typeof value === 'number' ? NUMBERS[name] || 'A whole number, at least 1.' : '';
  confirm({
    title: 'Change', id,
    text: 'The new value holds on every instance at once, and until it is cleared.',
    field: [el('label', { for: 'new-value' }, name), input, el('p', { class: 'hint', id: 'new-value-hint' }, hint)],
    run: (text) => change('POST', id, { action: 'configure', [name]: text.replace(/\s+/g, ' ').trim() }),
  });
}

// ---------------------------------------------------------------- the operator

const filterButtons = new Map(['', 'red', 'yellow', 'green'].map((color) => {
  const count = el('b', {}, '–');
  const element = el('button', {
    type: 'button', class: `filter ${color}`, 'aria-pressed': String(color === ''), 'data-color': color || 'all',
    onclick: () => {
      view.color = view.color === color ? '' : color;
      view.page = 0;
      for (const [other, button] of filterButtons) button.element.setAttribute('aria-pressed', String(view.color === other));
      refresh();
    },
  }, color ? shape(color) : null, count, el('span', {}, color ? WORDS[color] : 'All'));
  $('filters').append(element);
  return [color, { element, count }];
}));

let typing = 0;
$('search').addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    view.search = $('search').value.trim();
    view.page = 0;
    refresh();
  }, 150);
});

for (const [id, step] of [['previous', -1], ['next', 1]]) {
  $(id).addEventListener('click', () => {
    view.page = Math.max(0, view.page + step);
    view.turned = id;
    refresh();
  });
}

/** As it stands where it is no encoded text, such as an address typed by hand. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function follow() {
  const before = view.id;
  view.id = location.hash.startsWith('#/') ? decoded(location.hash.slice(2)) : null;
  if (view.id === before) return;
  for (const [id, row] of rows) {
    if (id === view.id) row.link.setAttribute('aria-current', 'true');
    else row.link.removeAttribute('aria-current');
  }
  view.range = null;
  view.detail = null;
  sections.clear();
  $('detail').replaceChildren();
  if (view.id === null) {
    $('detail').hidden = true;
    document.body.classList.remove('has-detail');
    (rows.get(before)?.link || $('lights').querySelector('a') || $('search')).focus();
  } else {
    $('detail').hidden = false;
    document.body.classList.add('has-detail');
    $('detail').append(el('p', { class: 'muted loading' }, 'Loading…'));
    $('detail').focus({ preventScroll: true });
    scrollTo(0, 0);
    revealRow();
    view.reveal = true;
  }
  refresh();
}

addEventListener('hashchange', follow);
addEventListener('resize', () => view.id !== null && view.detail && showDetail(view.detail));
document.addEventListener('visibilitychange', () => document.hidden || refresh());
document.addEventListener('keydown', (event) => {
  const inField = event.target instanceof Element && event.target.closest('input, select, textarea, dialog');
  if (event.key === '/' && !inField && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    $('search').focus();
  } else if (event.key === 'Escape' && view.id !== null && !$('dialog').open && !inField) {
    location.hash = '#';
  }
});

follow();
refresh();
