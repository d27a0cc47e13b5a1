/**
 * Keeps the parts of a page that are marked `data-live` up to date: after something has moved, the page is asked for these
 * parts, with the content of the rows that moved alone, and what has changed is changed in place, so that selection, focus
 * and scroll position stay. At most once a second, and not while the page is hidden.
 *
 * New rows of a list (`data-key`) would move the others: while the list is in use, and always with `data-live="hold"`, a
 * button says how many there are and shows them. `data-new-one`, `data-new-many`: its texts, `{count}` in the second.
 */
export {};

const DELAY_MS = 300;
const MIN_PAUSE_MS = 1000;
/** The pause in multiples of the response time, so that hundreds of screens do not overload a busy service. */
const PAUSE_FACTOR = 20;
/** Rows that are asked for by their keys; of more, the whole parts come. */
const MAX_MOVED = 20;

/** What has moved since the page was asked: the keys of rows; null: anything; undefined: nothing. @type {Set<string> | null | undefined} */
let stale;
let busy = false;
/** @type {Element | null} A part whose new rows were asked for. */
let opened = null;

async function renew() {
  if (stale === undefined || busy || document.hidden) return;
  const keys = stale && stale.size <= MAX_MOVED ? [...stale].map(encodeURIComponent) : null;
  stale = undefined;
  busy = true;
  const began = performance.now();
  const headers = { moved: keys?.join(' ') ?? '*' };
  const answer = await fetch(location.href, { headers }).catch(() => undefined);
  // A connection can also end in the middle of an answer.
  const text = answer?.ok && !answer.redirected && (await answer.text().catch(() => undefined));
  if (text) {
    const page = new DOMParser().parseFromString(text, 'text/html');
    for (const part of document.querySelectorAll('[data-live][id]')) {
      const fresh = page.getElementById(part.id);
      if (fresh) renewPart(/** @type {HTMLElement} */ (part), fresh);
    }
    opened = null;
  }
  setTimeout(
    () => {
      busy = false;
      void renew();
    },
    Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (performance.now() - began)),
  );
}

/** @param {HTMLElement} part @param {HTMLElement} fresh */
function renewPart(part, fresh) {
  const [list, freshList] = [part, fresh].map((element) => element.querySelector('tbody:has(> [data-key])'));
  const [known, listed] = [new Set(keysOf(list)), new Set(keysOf(freshList))];
  const added = list ? [...listed].filter((key) => !known.has(key)) : [];
  const gone = [...known].filter((key) => !listed.has(key));
  const moves =
    added.length > 0 ? part.dataset.live === 'hold' || isUsed(part) : gone.length > 0 && isUsed(part);
  const holds = moves && part !== opened;
  if (holds && !freshList && list?.querySelector('.done')) return;
  if (holds && list && freshList) {
    // Keeps the shown rows, with new content where they are still listed. If more rows went than came, the others were
    // removed and not moved to the next page: they become inert, but for one that offers Undo.
    const rows = new Map([...freshList.children].map((row) => [row.getAttribute('data-key'), row]));
    freshList.replaceChildren(
      ...[...list.children].map((row) => {
        const kept = /** @type {Element} */ (row.cloneNode(true));
        kept.toggleAttribute('inert', gone.length > added.length && !row.matches('.done'));
        return rows.get(row.getAttribute('data-key')) ?? kept;
      }),
    );
  }
  sayNew(part, holds ? added.length : 0);
  renewNode(part, fresh);
}

/** @param {Element | null | undefined} list */
const keysOf = (list) => [...(list?.children ?? [])].map((row) => row.getAttribute('data-key'));

/** Whether somebody may be about to press or copy something in it. @param {Element} part */
function isUsed(part) {
  const selection = document.getSelection();
  return (
    part.matches(':hover') ||
    part.contains(document.activeElement) ||
    matchMedia('(hover: none)').matches ||
    (selection !== null && !selection.isCollapsed && selection.containsNode(part, true))
  );
}

/** @param {HTMLElement} part @param {number} count */
function sayNew(part, count) {
  let line = part.previousElementSibling;
  if (!line?.matches('.news')) {
    if (count === 0) return;
    line = document.createElement('div');
    line.className = 'news';
    line.setAttribute('role', 'status');
    part.before(line);
  }
  const text =
    count === 1 ? part.dataset.newOne : (part.dataset.newMany ?? '{count}').replace('{count}', String(count));
  if (count === 0) line.replaceChildren();
  else if (line.firstChild) line.firstChild.textContent = text ?? String(count);
  else {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = text ?? String(count);
    button.addEventListener('click', () => {
      opened = part;
      stale = null;
      busy = false;
      /** @type {HTMLElement | null} */ (part.querySelector('tbody a'))?.focus();
      void renew();
    });
    line.append(button);
  }
}

/** Makes a node what the fresh one is, keeping what is the same. @param {Node} old @param {Node} fresh */
function renewNode(old, fresh) {
  if (isUnmoved(fresh)) return;
  if (!(old instanceof Element) || !(fresh instanceof Element)) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !(name === 'open' && old.matches('details'))) old.removeAttribute(name);

  const freshKeys = new Set(keysOf(fresh));
  const byKey = new Map();
  for (const child of [...old.children]) {
    const key = child.getAttribute('data-key');
    if (key !== null && !freshKeys.has(key)) child.remove();
    else if (key !== null) byKey.set(key, child);
  }
  /** @type {ChildNode | null} */
  let next = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const key = child instanceof Element ? child.getAttribute('data-key') : null;
    const same = key !== null ? byKey.get(key) : next && isAlike(next, child) ? next : undefined;
    if (same === undefined) {
      // A row without its content that is not here: it came before the one that moved.
      if (isUnmoved(child)) stale = null;
      else old.insertBefore(document.adoptNode(child), next);
    } else {
      if (same === next) next = same.nextSibling;
      else old.insertBefore(same, next);
      renewNode(same, child);
    }
  }
  while (next) {
    const after = next.nextSibling;
    next.remove();
    next = after;
  }
}

/** Whether it is a row that did not move, of which only the key was sent. @param {Node} row */
const isUnmoved = (row) => row instanceof Element && row.matches('tr[data-key]:empty');

/** @param {Node} old @param {Node} fresh */
const isAlike = (old, fresh) =>
  old.nodeName === fresh.nodeName && !(old instanceof Element && old.hasAttribute('data-key'));

addEventListener('calls-moved', (event) => {
  const keys = event instanceof CustomEvent ? event.detail : null;
  stale = keys === null || stale === null ? null : new Set([...(stale ?? []), ...keys]);
  setTimeout(renew, DELAY_MS);
});
addEventListener('visibilitychange', () => {
  stale = null;
  void renew();
});
