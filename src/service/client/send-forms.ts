import { dial } from './dial.ts';
import { signInPath } from './drafts.ts';

/**
 * Sends a form that is marked `data-in-place` without leaving the page: the row or part that it stands in is taken from the
 * page that the service answers with, and the focus goes to what that marks with `autofocus`. An answer that refuses is
 * said beside the button, and what was typed stays. Without this script the same forms work by loading pages.
 */
export function sendForms(): void {
  addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.inPlace === undefined) return;
    event.preventDefault();
    void send(form, event.submitter);
  });
}

async function send(form: HTMLFormElement, button: HTMLElement | null): Promise<void> {
  const place = form.closest('[data-key], [data-place]');
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, button)) body.append(name, String(value));
  button?.toggleAttribute('disabled', true);
  const answer = await fetch(form.action, { method: 'POST', body }).catch(() => undefined);
  const text = await answer?.text().catch(() => undefined);
  button?.toggleAttribute('disabled', false);
  const page = new DOMParser().parseFromString(text ?? '', 'text/html');
  if (!answer?.ok || !place) return refuse(form, page.querySelector('[role=alert]')?.textContent);
  if (new URL(answer.url).pathname === '/sign-in') return location.replace(signInPath());
  const name = place.hasAttribute('data-key') ? 'data-key' : 'data-place';
  const fresh = page.querySelector(`[${name}="${CSS.escape(place.getAttribute(name) ?? '')}"]`);
  if (!fresh) return location.assign(answer.url);
  // The address that has the answer: what renews the page asks for that.
  history.replaceState(null, '', answer.url);
  place.replaceWith(document.adoptNode(fresh));
  if (button?.dataset.dials) dial(button.dataset.dials);
  fresh.querySelector<HTMLElement>('[autofocus]')?.focus();
}

function refuse(form: HTMLFormElement, why: string | null | undefined): void {
  const line = form.querySelector('.refused') ?? document.createElement('p');
  line.className = 'refused small is-missed';
  line.setAttribute('role', 'alert');
  line.textContent = why ?? form.dataset.refused ?? '';
  form.append(line);
}
