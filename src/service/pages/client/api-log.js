/**
 * The history as it grows: the service says when there is something new, and live-parts.js does what it does when a call has
 * moved. A button holds it still.
 */
export {};

const button = document.createElement('button');
button.type = 'button';
button.textContent = 'Live';
button.setAttribute('aria-pressed', 'true');
document.querySelector('form.filter .buttons')?.append(button);

const told = () => dispatchEvent(new Event('calls-moved'));
/** @type {EventSource | undefined} */
let source;

/** Not for a page in the background: a browser keeps six connections to a host, for all of its windows. */
function follow() {
  const live = button.getAttribute('aria-pressed') === 'true';
  document.querySelector('#requests')?.toggleAttribute('data-live', live);
  source?.close();
  source = undefined;
  if (document.hidden || !live) return;
  source = new EventSource('/api-log/stream');
  source.addEventListener('open', told); // what came while nobody listened
  source.addEventListener('news', told);
}

button.addEventListener('click', () => {
  button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
  follow();
});
document.addEventListener('visibilitychange', follow);
follow();
