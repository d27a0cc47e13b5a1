/** Signs in with the link after the `#`, which browsers do not send and proxies do not log. */
export {};

const link = location.hash.slice(1);
if (link !== '') {
  history.replaceState(null, '', location.pathname);
  const state = /** @type {HTMLElement} */ (document.getElementById('state'));
  const show = (/** @type {string | undefined} */ text) => {
    const line = document.createElement('p');
    line.className = 'notice';
    line.setAttribute('role', 'status');
    line.textContent = text ?? '';
    state.replaceChildren(line);
  };
  show(state.dataset.signingIn);
  const answer = await fetch('/sign-in/link', { method: 'POST', body: new URLSearchParams({ link }) });
  if (answer.ok) location.replace('/');
  else show(state.dataset.linkEnded);
}
