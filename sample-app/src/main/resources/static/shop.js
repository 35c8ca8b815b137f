'use strict';

// Asks the shop four times a second what happened since, and draws the last 30 seconds.
const SPAN = 30_000;
const POLL = 250;
const PATIENCE = 4000;
const DELAY = 450; // Drawn a little late, so that marks glide in instead of popping up.
const WORDS = { CLOSED: 'Green', OPEN: 'Red', HALF_OPEN: 'Yellow' };
const NAMES = { risk: ['Risk check', 'asynchronous'] };
const calm = matchMedia('(prefers-reduced-motion: reduce)');

const $ = id => document.getElementById(id);
const lanes = new Map();
let calls = [];
let seen = 0;
let clock = 0; // The shop's clock minus ours.
let shop;

for (const element of document.querySelectorAll('[data-breaker]')) {
  const id = element.dataset.breaker;
  if (element.classList.contains('lane')) furnish(element, id);
  lanes.set(id, { element, canvas: element.querySelector('canvas'), states: [], state: 'CLOSED', retryAfter: 0 });
  element.dataset.state = 'CLOSED';
}

function furnish(element, id) {
  const merchant = id.split(':')[1];
  const [name, note] = NAMES[id] || [`Payouts: ${merchant}`, 'a light for each merchant'];
  element.innerHTML = '<span class="bulb"></span><div class="name"><span></span><small></small></div>' +
    '<span class="took"></span><span></span><canvas role="img"></canvas>';
  element.querySelector('.name span').textContent = name;
  element.querySelector('small').dataset.note = note;
  element.querySelector('canvas').setAttribute('aria-label', `Calls of the last 30 seconds: ${name}`);
  if (!merchant) return;
  const button = document.createElement('button');
  button.dataset.merchant = merchant;
  button.onclick = () => {
    const broken = new Set(shop.knobs.broken);
    broken.has(merchant) ? broken.delete(merchant) : broken.add(merchant);
    turn({ broken: [...broken].join(',') });
  };
  element.querySelector('.took').nextElementSibling.replaceWith(button);
}

async function poll() {
  try {
    const response = await fetch(`shop?after=${seen}`, { signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok) throw new Error(`the shop answered ${response.status}`);
    take(await response.json());
  } catch (e) {
    lose(e);
  }
  setTimeout(poll, POLL);
}

/** What was green may be red by now, so nothing is shown as if it still held. */
function lose(error) {
  document.body.classList.add('lost');
  $('payments-word').textContent = 'No answer';
  const since = shop ? ` What you see is from ${new Date(shop.now).toLocaleTimeString()}; trying again.` : ' Trying again.';
  $('story').textContent = `The shop does not answer (${error.message}).${since}`;
  for (const { element, states } of lanes.values()) {
    element.dataset.state = '';
    if (states.length && states.at(-1).state) states.push({ at: shop.now, state: null });
  }
}

function take(page) {
  document.body.classList.remove('lost');
  if (shop && shop.instance !== page.instance) { calls = []; seen = 0; } // It was restarted.
  shop = page;
  clock = page.now - Date.now();
  for (const call of page.calls) {
    calls.push(call);
    seen = call.number;
    if (lanes.has(call.breaker)) lanes.get(call.breaker).last = call;
  }
  calls = calls.filter(call => call.at > page.now - SPAN - 2000);
  for (const [id, lane] of lanes) {
    const light = page.lights.find(l => l.id === id) || { state: 'CLOSED', retryAfterMillis: 0 };
    lane.retryAfter = light.retryAfterMillis;
    if (!lane.states.length || lane.states.at(-1).state !== light.state) {
      lane.state = light.state;
      lane.states.push({ at: page.now, state: light.state });
      lane.element.dataset.state = light.state;
    }
    while (lane.states.length > 1 && lane.states[1].at < page.now - SPAN - 2000) lane.states.shift();
  }
  show();
}

function show() {
  $('instance').textContent = shop.instance;
  $('redis').textContent = shop.redisUp ? shop.redis : 'away: lights are this instance’s own';
  $('redis').classList.toggle('away', !shop.redisUp);
  $('second').textContent = shop.anotherInstance;
  const left = shop.trafficSeconds;
  $('traffic').textContent = left ? `Stop traffic · ${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}` : 'Start traffic';
  $('traffic').classList.toggle('on', left > 0);
  knob('errors', shop.knobs.errorRate);
  knob('latency', shop.knobs.latencyMillis);

  const payments = calls.filter(call => call.breaker === 'payments');
  for (const kind of ['done', 'slow', 'failed', 'rejected', 'probe']) {
    const count = payments.filter(call => kind === 'probe' ? call.probe : call.outcome === kind && !call.probe).length;
    document.querySelector(`#legend .${kind} b`).textContent = count;
  }
  for (const [id, lane] of lanes) {
    if (id === 'payments') continue;
    lane.element.querySelector('.took').textContent = lane.last ? time(lane.last.micros) : '';
    const small = lane.element.querySelector('small');
    small.textContent = lane.state === 'CLOSED' ? small.dataset.note
      : `${WORDS[lane.state].toLowerCase()}: ${lane.state === 'OPEN' ? `probe in ${seconds(lane.retryAfter)}` : 'waiting for a probe'}`;
    const button = lane.element.querySelector('button');
    if (button) {
      const broken = shop.knobs.broken.includes(button.dataset.merchant);
      button.setAttribute('aria-pressed', broken);
      button.textContent = broken ? 'Heal' : 'Break';
    }
  }
  const light = lanes.get('payments');
  $('payments-word').textContent = WORDS[light.state];
  const story = tell(light, payments);
  if ($('story').textContent !== story) $('story').textContent = story;
  $('calls').replaceChildren(...(calls.length ? calls.slice(-7).reverse().map(row) : [item('None yet.')]));
}

function tell(light, payments) {
  const rejected = payments.filter(call => call.outcome === 'rejected').map(call => call.micros).sort((a, b) => a - b);
  const ailing = shop.knobs.errorRate > 0 || shop.knobs.latencyMillis >= 500;
  const previous = light.states.at(-2);
  const recent = previous && shop.now - light.states.at(-1).at < 6000;
  if (light.state === 'OPEN') {
    const cost = rejected.length ? ` in ${time(rejected[rejected.length >> 1])}` : '';
    return `Calls are rejected${cost} without being tried, and the customers pay later. A probe may run in ${seconds(light.retryAfter)}.`;
  }
  if (light.state === 'HALF_OPEN') {
    return shop.trafficSeconds
      ? 'The cool-off is over. One call, on one instance of the whole fleet, finds out whether the provider is back.'
      : 'The cool-off is over. The next call will be the probe; there is no traffic now.';
  }
  if (recent && previous.state && previous.state !== 'CLOSED') return 'The probe succeeded, and the light is green again on every instance.';
  if (!shop.trafficSeconds) return 'Calls would run, but nobody is calling. Start the traffic.';
  if (ailing) return 'The provider is ailing. Five failures in a row, on whichever instance, turn the light red.';
  return 'All is well: calls run, and Redis hears nothing of them. Break the provider.';
}

function row(call) {
  const li = item(call.breaker);
  const outcome = document.createElement('span');
  outcome.className = call.outcome;
  outcome.textContent = (call.probe ? 'probe ' : '') + call.outcome;
  const took = document.createElement('span');
  took.textContent = time(call.micros);
  li.append(outcome, took);
  return li;
}

function item(text) {
  const li = document.createElement('li');
  const span = document.createElement('span');
  span.textContent = text;
  li.append(span);
  return li;
}

function time(micros) {
  if (micros < 1000) return `${micros} µs`;
  return micros < 10_000 ? `${(micros / 1000).toFixed(1)} ms` : `${Math.round(micros / 1000)} ms`;
}

function seconds(millis) {
  return `${(millis / 1000).toFixed(1)} s`;
}

// Controls. A slider that is being dragged is left alone; otherwise it shows what holds, whoever set it.

const busy = new Set();

function knob(id, value) {
  const input = $(id);
  if (!busy.has(id)) input.value = value;
  const now = Number(input.value);
  const word = id === 'errors' ? (now === 0 ? 'never' : now === 100 ? 'always' : `${now} times in 100`) : `about ${now} ms`;
  $(`${id}-word`).textContent = word;
}

async function turn(knobs) {
  const response = await fetch(`provider?${new URLSearchParams(knobs)}`, { method: 'PUT' });
  if (response.ok) {
    shop.knobs = await response.json();
    show();
  }
}

for (const [id, name] of [['errors', 'error-rate'], ['latency', 'latency']]) {
  let latest = 0;
  $(id).oninput = async () => {
    busy.add(id);
    const mine = ++latest;
    await turn({ [name]: $(id).value });
    if (mine === latest) busy.delete(id);
  };
}
$('break').onclick = () => turn({ 'error-rate': 100 });
$('heal').onclick = () => turn({ 'error-rate': 0, latency: 40, broken: '' });
$('traffic').onclick = () => fetch('traffic', { method: shop && shop.trafficSeconds ? 'DELETE' : 'POST' });

// Drawing.

const LOWEST = 1; // µs
const HIGHEST = 3_000_000;
const GRID = [[10, '10 µs'], [1000, '1 ms'], [100_000, '100 ms'], [1_000_000, '1 s']];

function height(micros, top, bottom) {
  const share = Math.log(Math.max(LOWEST, micros) / LOWEST) / Math.log(HIGHEST / LOWEST);
  return bottom - Math.min(1, share) * (bottom - top);
}

function draw() {
  const now = Date.now() + clock - DELAY;
  const style = getComputedStyle(document.documentElement);
  const paint = name => style.getPropertyValue(`--${name}`).trim();
  const colours = {};
  for (const name of ['green', 'yellow', 'red', 'slow', 'grey', 'line', 'soft', 'card']) colours[name] = paint(name);
  for (const [id, lane] of lanes) drawLane(id, lane, now, colours);
}

function drawLane(id, lane, now, colours) {
  const canvas = lane.canvas;
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth, tall = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(tall * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(tall * ratio);
  }
  const g = canvas.getContext('2d');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, tall);
  const big = id === 'payments';
  const left = big ? 60 : 0;
  const x = at => left + (width - left) * (1 - (now - at) / SPAN);

  g.save();
  g.beginPath();
  g.roundRect(left, 0, width - left, tall, big ? 10 : 7);
  g.clip();
  g.fillStyle = colours.line; // Before this page was opened, and while the shop does not answer, nobody knows.
  g.globalAlpha = .35;
  g.fillRect(left, 0, width - left, tall);
  lane.states.forEach((period, i) => {
    if (!period.state) return;
    const from = x(period.at);
    const next = lane.states[i + 1];
    g.fillStyle = { CLOSED: colours.green, OPEN: colours.red, HALF_OPEN: colours.yellow }[period.state];
    g.globalAlpha = period.state === 'CLOSED' ? .07 : .16;
    const to = next ? x(next.at) : width;
    g.clearRect(from, 0, to - from, tall);
    g.fillRect(from, 0, to - from, tall);
  });
  g.globalAlpha = 1;
  g.restore();

  const top = big ? 14 : 5, bottom = big ? tall - 12 : tall - 5;
  if (big) {
    g.font = '12px system-ui, sans-serif';
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    g.lineWidth = 1;
    for (const [micros, label] of GRID) {
      const y = Math.round(height(micros, top, bottom)) + .5;
      g.fillStyle = colours.soft;
      g.fillText(label, left - 10, y);
      g.strokeStyle = colours.line;
      g.beginPath();
      g.moveTo(left, y);
      g.lineTo(width, y);
      g.stroke();
    }
  }
  g.save();
  g.beginPath();
  g.rect(left, 0, width - left, tall);
  g.clip();
  for (const probes of [false, true]) {
    for (const call of calls) {
      if (call.breaker === id && call.probe === probes && call.at <= now + 50) {
        mark(g, call, x(call.at), height(call.micros, top, bottom), big ? 1 : .8, colours);
      }
    }
  }
  g.restore();
}

function mark(g, call, x, y, size, colours) {
  const r = 3.6 * size;
  g.beginPath();
  if (call.probe) {
    const d = 7 * size;
    g.moveTo(x, y - d); g.lineTo(x + d, y); g.lineTo(x, y + d); g.lineTo(x - d, y);
    g.closePath();
    g.fillStyle = call.outcome === 'done' ? colours.yellow : colours.red;
    g.fill();
    g.lineWidth = 2;
    g.strokeStyle = colours.card;
    g.stroke();
  } else if (call.outcome === 'rejected') {
    g.arc(x, y, r * .85, 0, 7);
    g.lineWidth = 1.5;
    g.strokeStyle = colours.grey;
    g.stroke();
  } else if (call.outcome === 'failed') {
    g.fillStyle = colours.red;
    g.fillRect(x - r * .95, y - r * .95, 2 * r * .95, 2 * r * .95);
  } else if (call.outcome === 'slow') {
    g.moveTo(x, y - r * 1.25); g.lineTo(x + r * 1.3, y + r); g.lineTo(x - r * 1.3, y + r);
    g.fillStyle = colours.slow;
    g.fill();
  } else {
    g.arc(x, y, r, 0, 7);
    g.fillStyle = colours.green;
    g.fill();
  }
}

function frame() {
  draw();
  if (calm.matches) setTimeout(frame, 1000);
  else requestAnimationFrame(frame);
}

poll();
frame();
