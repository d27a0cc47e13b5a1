import { keysOf, renewNode } from './renew-node.ts';

const DELAY_MS = 300;
const MIN_PAUSE_MS = 1000;
/** The pause in multiples of the response time, so that hundreds of screens do not overload a busy service. */
const PAUSE_FACTOR = 20;
/** Rows that are asked for by their keys; of more, the whole parts come. */
const MAX_MOVED = 20;

/**
 * Keeps the parts of a page that are marked `data-live` up to date: after something has moved, the page is asked for these
 * parts, with the content of the rows that moved alone, and what has changed is changed in place, so that selection, focus
 * and scroll position stay. At most once a second, and not while the page is hidden.
 *
 * New rows of a list (`data-key`) would move the others: while the list is in use, and always with `data-live="hold"`, a
 * button says how many there are and shows them. `data-new-one`, `data-new-many`: its texts, `{count}` in the second.
 */
export function keepLive(): void {
  /** What has moved since the page was asked: the keys of rows; null: anything; undefined: nothing. */
  let stale: ReadonlySet<string> | null | undefined;
  let busy = false;
  /** A part whose new rows were asked for. */
  let opened: Element | null = null;

  async function renew(): Promise<void> {
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
      for (const part of document.querySelectorAll<HTMLElement>('[data-live][id]')) {
        const fresh = page.getElementById(part.id);
        if (fresh && !renewPart(part, fresh, part === opened, open)) stale = null;
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

  function open(part: HTMLElement): void {
    opened = part;
    stale = null;
    busy = false;
    part.querySelector<HTMLElement>('tbody a')?.focus();
    void renew();
  }

  addEventListener('calls-moved', (event) => {
    const keys = event instanceof CustomEvent ? event.detail : null;
    stale = keys === null || stale === null ? null : new Set([...(stale ?? []), ...keys]);
    setTimeout(renew, DELAY_MS);
  });
  addEventListener('visibilitychange', () => {
    stale = null;
    void renew();
  });
}

/**
 * `isOpened`: its new rows are wanted; else `open` is called when somebody asks for them. False: rows are missing that came
 * without their content.
 */
function renewPart(
  part: HTMLElement,
  fresh: HTMLElement,
  isOpened: boolean,
  open: (part: HTMLElement) => void,
): boolean {
  const [list, freshList] = [part, fresh].map((element) => element.querySelector('tbody:has(> [data-key])'));
  const [known, listed] = [new Set(keysOf(list)), new Set(keysOf(freshList))];
  const added = list ? [...listed].filter((key) => !known.has(key)) : [];
  const gone = [...known].filter((key) => !listed.has(key));
  const moves =
    added.length > 0 ? part.dataset.live === 'hold' || isUsed(part) : gone.length > 0 && isUsed(part);
  const holds = moves && !isOpened;
  if (holds && !freshList && list?.querySelector('.done')) return true;
  if (holds && list && freshList) keepRows(list, freshList, gone.length > added.length);
  sayNew(part, holds ? added.length : 0, () => open(part));
  return renewNode(part, fresh);
}

/**
 * Keeps the shown rows, with new content where they are still listed. If more rows went than came (`areRemoved`), the
 * others were removed and not moved to the next page: they become inert, but for one that offers Undo.
 */
function keepRows(list: Element, freshList: Element, areRemoved: boolean): void {
  const rows = new Map([...freshList.children].map((row) => [row.getAttribute('data-key'), row]));
  freshList.replaceChildren(
    ...[...list.children].map((row) => {
      const fresh = rows.get(row.getAttribute('data-key'));
      if (fresh) return fresh;
      const kept = document.importNode(row, true);
      kept.toggleAttribute('inert', areRemoved && !row.matches('.done'));
      return kept;
    }),
  );
}

/** Whether somebody may be about to press or copy something in it. */
function isUsed(part: Element): boolean {
  const selection = document.getSelection();
  return (
    part.matches(':hover') ||
    part.contains(document.activeElement) ||
    matchMedia('(hover: none)').matches ||
    (selection !== null && !selection.isCollapsed && selection.containsNode(part, true))
  );
}

function sayNew(part: HTMLElement, count: number, open: () => void): void {
  const before = part.previousElementSibling;
  const line = before?.matches('.news') ? before : undefined;
  const text =
    count === 1 ? part.dataset.newOne : (part.dataset.newMany ?? '{count}').replace('{count}', String(count));
  if (count === 0) line?.replaceChildren();
  else if (line?.firstChild) line.firstChild.textContent = text ?? String(count);
  else {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = text ?? String(count);
    button.addEventListener('click', open);
    (line ?? newsLine(part)).append(button);
  }
}

function newsLine(part: HTMLElement): Element {
  const line = document.createElement('div');
  line.className = 'news';
  line.setAttribute('role', 'status');
  part.before(line);
  return line;
}
