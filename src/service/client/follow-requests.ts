/** Keeps the API log live: when the service reports new requests, `keepLive` renews the list. A button pauses it. */
export function followRequests(): void {
  const form = document.querySelector<HTMLElement>('form.filters');
  const button = document.createElement('button');
  button.type = 'button';
  button.setAttribute('aria-pressed', 'true');
  button.textContent = form?.dataset.liveLabel ?? '';
  form?.querySelector('.together')?.append(button);

  const renew = () => dispatchEvent(new Event('calls-moved'));
  let source: EventSource | undefined;

  /** Disconnects in the background: a browser allows six connections per host for all its windows. */
  function follow(): void {
    const live = button.getAttribute('aria-pressed') === 'true';
    document.querySelector('#requests')?.toggleAttribute('data-live', live);
    source?.close();
    source = undefined;
    if (document.hidden || !live) return;
    source = new EventSource('/api-log/stream');
    source.addEventListener('open', renew); // requests since the last connection
    source.addEventListener('news', renew);
  }

  button.addEventListener('click', () => {
    button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
    follow();
  });
  document.addEventListener('visibilitychange', follow);
  follow();
}
