/** Signs in with the link after the `#`, which browsers do not send and proxies do not log. */
export function signInByLink(): void {
  const state = document.getElementById('state');
  if (state === null) return;
  void signIn(state);
  // A link pasted where this page is open loads nothing.
  addEventListener('hashchange', () => void signIn(state));
}

async function signIn(state: HTMLElement): Promise<void> {
  const link = location.hash.slice(1);
  if (link === '') return;
  history.replaceState(null, '', location.pathname);
  const show = (text: string | undefined) => {
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
