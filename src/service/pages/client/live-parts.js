/**
 * Keeps the parts of a page that are marked `data-live` up to date: after a call has changed, the page is loaded again
 * and these parts are replaced. At most once a second, and not while the page is hidden.
 */
export {};

const DELAY_MS = 300;
const MIN_PAUSE_MS = 1000;
/** The pause in multiples of the response time, so that hundreds of screens do not overload a busy service. */
const PAUSE_FACTOR = 20;

let stale = false;
let busy = false;

async function renew() {
  if (!stale || busy || document.hidden) return;
  stale = false;
  busy = true;
  const began = performance.now();
  const answer = await fetch(location.href).catch(() => undefined);
  if (answer?.ok && !answer.redirected) {
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const part of document.querySelectorAll('[data-live][id]')) {
      const fresh = page.getElementById(part.id);
      // Not while the focus is inside.
      if (fresh && !part.contains(document.activeElement)) part.replaceWith(document.adoptNode(fresh));
      else if (fresh) stale = true;
    }
  }
  setTimeout(
    () => {
      busy = false;
      void renew();
    },
    Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (performance.now() - began)),
  );
}

addEventListener('calls-moved', () => {
  stale = true;
  setTimeout(renew, DELAY_MS);
});
addEventListener('visibilitychange', () => {
  stale = true;
  void renew();
});
