/** Signs in with the link after the `#`, which no browser sends and no proxy logs. */
export {};

const link = location.hash.slice(1);
if (link !== '') {
  history.replaceState(null, '', location.pathname);
  const state = /** @type {HTMLElement} */ (document.getElementById('state'));
  const say = (/** @type {string} */ text) => {
    const line = document.createElement('p');
    line.className = 'notice';
    line.setAttribute('role', 'status');
    line.textContent = text;
    state.replaceChildren(line);
  };
  say('Signing in …');
  const answer = await fetch('/sign-in/link', { method: 'POST', body: new URLSearchParams({ link }) });
  if (answer.ok) location.replace('/');
  else say('This link was used already, or is older than a quarter of an hour.');
}
