/**
 * Keeps the parts of a page that are marked `data-live` as they are now: when a call has moved, the page is asked for
 * again, and those parts are put in the place of the old ones. At most once a second, and not while nobody looks.
 */
export {};

const SOON_MS = 300;
const REST_MS = 1000;
/** So many times as long as the answer took: hundreds of screens must not keep a busy service from the calls. */
const REST_TIMES = 20;

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
      // Not under the hands of somebody who is in it.
      if (fresh && !part.contains(document.activeElement)) part.replaceWith(document.adoptNode(fresh));
      else if (fresh) stale = true;
    }
  }
  setTimeout(
    () => {
      busy = false;
      void renew();
    },
    Math.max(REST_MS, REST_TIMES * (performance.now() - began)),
  );
}

addEventListener('calls-moved', () => {
  stale = true;
  setTimeout(renew, SOON_MS);
});
addEventListener('visibilitychange', () => {
  stale = true;
  void renew();
});
