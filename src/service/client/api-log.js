/**
 * Keeps the API log live: when the service reports new requests, live.js reloads the list. A button pauses it.
 */
export {};

const button = document.createElement('button');
button.type = 'button';
button.setAttribute('aria-pressed', 'true');
const form = /** @type {HTMLElement} */ (document.querySelector('form.filters'));
button.textContent = form.dataset.liveLabel ?? '';
form.querySelector('.together')?.append(button);

const reload = () => dispatchEvent(new Event('calls-moved'));
/** @type {EventSource | undefined} */
let source;

/** Disconnects in the background: a browser allows six connections per host for all its windows. */
function follow() {
  const live = button.getAttribute('aria-pressed') === 'true';
  document.querySelector('#requests')?.toggleAttribute('data-live', live);
  source?.close();
  source = undefined;
  if (document.hidden || !live) return;
  source = new EventSource('/api-log/stream');
  source.addEventListener('open', reload); // requests since the last connection
  source.addEventListener('news', reload);
}

button.addEventListener('click', () => {
  button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
  follow();
});
document.addEventListener('visibilitychange', follow);
follow();
