/**
 * The history as it grows: when the service says that there is more, the page asks for itself again and takes over the
 * table, so nothing is rendered in two places. Whoever selects a text, or has the page in the background, is left alone.
 */
const box = /** @type {HTMLElement} */ (document.querySelector('#tail'));
const button = document.createElement('button');
button.type = 'button';
button.textContent = 'Live';
button.setAttribute('aria-pressed', 'true');
document.querySelector('form.filter .buttons')?.append(button);

/** @type {EventSource | undefined} */
let source;
let asking = false;
let again = false;

function follow() {
  source?.close();
  source = undefined;
  if (document.hidden || button.getAttribute('aria-pressed') !== 'true') return;
  source = new EventSource('/history/tail');
  source.addEventListener('open', refresh); // what came while nobody listened
  source.addEventListener('news', refresh);
}

async function refresh() {
  again = asking;
  if (asking || selects()) return;
  asking = true;
  try {
    const answer = await fetch(location.href);
    // Signed out: a page of somebody else's is not taken over.
    if (answer.ok && !answer.redirected) take(await answer.text());
  } catch {
    // The service is away; the stream connects again by itself, and then this is asked again.
  }
  asking = false;
  if (again) refresh();
}

const selects = () => {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && box.contains(selection.anchorNode);
};

/** @param {string} text */
function take(text) {
  const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('#tail');
  if (fresh === null) return;
  const known = new Set(links(box));
  const focused = document.activeElement?.getAttribute('href');
  const scrolled = box.firstElementChild?.scrollLeft ?? 0;
  box.replaceChildren(...fresh.childNodes);
  for (const link of box.querySelectorAll('tbody a'))
    if (known.size > 0 && !known.has(link.getAttribute('href'))) link.closest('tr')?.classList.add('fresh');
  if (box.firstElementChild) box.firstElementChild.scrollLeft = scrolled;
  if (focused)
    for (const link of box.querySelectorAll('a')) if (link.getAttribute('href') === focused) link.focus();
}

/** @param {Element} within */
const links = (within) => [...within.querySelectorAll('tbody a')].map((link) => link.getAttribute('href'));

button.addEventListener('click', () => {
  button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
  follow();
});
document.addEventListener('visibilitychange', follow);
follow();
