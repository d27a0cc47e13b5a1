/** The notification bar: every call of the account, as it moves. Fed by /events, which begins with all that is open. */

/** How long an answered call stays after its end, ms. */
const LEAVE_MS = 4000;
const order = ['ringing', 'answered', 'completed'];

const list = document.getElementById('calls');
const card = document.getElementById('card').content.firstElementChild;
const cards = new Map();
/** The server's clock minus ours, ms: an office PC's clock may be minutes off. */
let ahead = 0;

function take(call) {
  const known = cards.get(call.id);
  if (known && order.indexOf(call.status) < order.indexOf(known.call.status)) return;
  const item = known?.item ?? list.appendChild(newCard(call.id));
  cards.set(call.id, { call, item });
  draw(call, item);
  if (call.status === 'completed' && !call.missed) setTimeout(() => drop(call.id), LEAVE_MS);
  if (known?.call.status !== call.status) say(call);
  arrange();
}

function newCard(id) {
  const item = card.cloneNode(true);
  item.querySelector('.dismiss').addEventListener('click', () => drop(id));
  return item;
}

function drop(id) {
  cards.get(id)?.item.remove();
  cards.delete(id);
  arrange();
}

/** Ringing first, then by priority, then the longest waiting. */
function arrange() {
  const rank = ({ call }) => [order.indexOf(call.status), -(call.priority ?? -1e9), call.started_at];
  const sorted = [...cards.values()].sort((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return at < 0 ? 0 : left[at] - right[at];
  });
  for (const [index, { item }] of sorted.entries()) {
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
  }
  document.getElementById('none').hidden = cards.size > 0;
  const ringing = sorted.filter(({ call }) => call.status === 'ringing').length;
  document.title = ringing > 0 ? `(${ringing}) Calls` : 'Calls';
}

function draw(call, item) {
  item.className = call.missed ? 'missed' : call.status;
  item.querySelector('.name').textContent = call.customer?.name ?? call.number;
  item.querySelector('.number').textContent = call.customer ? call.number : '';
  item.querySelector('.segment').textContent = call.segment ?? '';
  item.querySelector('.dismiss').hidden = !call.missed;
  tell(call, item);
}

function tell(call, item) {
  const now = Date.now() + ahead;
  const by = call.caller_id ? ` by ${call.caller_id}` : '';
  const clock = new Date(call.started_at - ahead).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
  });
  item.querySelector('.what').textContent = call.missed
    ? `missed at ${clock}`
    : call.status === 'ringing'
      ? `ringing, ${lasting(now - call.started_at)}`
      : call.status === 'answered'
        ? `answered${by}, ${lasting(now - call.answered_at)}`
        : `ended${call.answered_at ? `, ${lasting(call.completed_at - call.answered_at)}` : ''}`;
}

function lasting(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}

function say(call) {
  const who = call.customer?.name ?? call.number;
  const what = call.missed
    ? 'missed call from'
    : { ringing: 'ringing:', answered: 'answered:', completed: 'ended:' }[call.status];
  document.getElementById('said').textContent = `${what} ${who}`;
}

function link(text, state) {
  const element = document.getElementById('link');
  element.textContent = text;
  element.dataset.state = state;
}

const events = new EventSource('/events');
events.addEventListener('calls', ({ data }) => {
  const { now, calls } = JSON.parse(data);
  ahead = now - Date.now();
  const open = new Set(calls.map(({ id }) => id));
  // What was open here and is not any more has ended while we did not listen.
  for (const [id, { call }] of cards) if (call.status !== 'completed' && !open.has(id)) drop(id);
  for (const call of calls) take(call);
  arrange();
  link('live', 'live');
});
events.addEventListener('call', ({ data }) => take(JSON.parse(data)));
events.addEventListener('error', () => {
  if (events.readyState === EventSource.CLOSED) link('signed out: open a new link', 'lost');
  else link('connecting again', 'lost');
});
setInterval(() => {
  for (const { call, item } of cards.values()) tell(call, item);
}, 500);
