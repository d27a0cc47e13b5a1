import { encode } from 'uqr';
import type { ServiceContext } from '../http/context.ts';
import { copyable } from './kit/copyable.ts';
import { changeForm, type FieldErrors, field } from './kit/form.ts';
import { type Html, html } from './kit/html.ts';
import type { Page, PageRequest, Pages } from './kit/page-request.ts';

/** Where users switch their second factor on and off. */
export function secondFactorPages(pages: Pages, { access: { secondFactor } }: ServiceContext): void {
  const page = (request: PageRequest, errors?: FieldErrors): Page => {
    if (request.user.secondFactor !== null) return onPage(request, errors);
    const proposed = secondFactor.propose(
      request.user,
      request.account.name,
      request.form.get('factor') ?? undefined,
    );
    return offPage(request, proposed, errors);
  };
  pages.get('/account/second-factor', 'agent', (request) => page(request));
  pages.post('/account/second-factor', 'agent', async (request) => {
    const { user, form } = request;
    if (user.secondFactor !== null) return { redirect: '/account/second-factor' };
    if (!(await request.isOwnPassword(form.get('current') ?? '')))
      return page(request, { current: 'Wrong password.' });
    const codes = await secondFactor.enable(user, form.get('factor') ?? '', form.get('code') ?? '');
    if (codes === undefined) return page(request, { code: 'Wrong code. Check the clock of your device.' });
    await request.audit('second-factor', `${user.name}: on`);
    return codesPage(request, codes);
  });
  pages.post('/account/second-factor/off', 'agent', async (request) => {
    if (!(await request.isOwnPassword(request.form.get('current') ?? '')))
      return page(request, { current: 'Wrong password.' });
    await secondFactor.disable(request.user);
    await request.audit('second-factor', `${request.user.name}: off`);
    return { redirect: '/account/second-factor' };
  });
}

const currentPassword = (errors: FieldErrors | undefined) =>
  field({
    ...{ label: 'Current password', name: 'current', type: 'password', errors, required: true },
    autocomplete: 'current-password',
  });

const framed = (content: Html, errors?: FieldErrors): Page => ({
  title: 'Second factor',
  scripts: ['copy-button.js'],
  ...(errors && { status: 422 }),
  body: html`<p><a href="/account">← Account</a></p>
    <h1>Second factor</h1>
    ${content}`,
});

function onPage({ token }: PageRequest, errors?: FieldErrors): Page {
  return framed(
    html`<section class="card">
      <h2>On</h2>
      <p>Signing in asks for a code of your authenticator app.</p>
      ${changeForm(
        { action: '/account/second-factor/off', token, label: 'Switch off' },
        html`${currentPassword(errors)}<button type="submit" class="danger">Switch off</button>`,
      )}
    </section>`,
    errors,
  );
}

function offPage(
  { token, words }: PageRequest,
  { factor, uri, secret }: { factor: string; uri: string; secret: string },
  errors?: FieldErrors,
): Page {
  return framed(
    html`<section class="card">
      <h2>Switch on</h2>
      <p>Off. If it is on, signing in also asks for a code that an authenticator app on your phone shows.</p>
      <p>Scan this with the app, or type the key. Then enter the code that the app shows.</p>
      ${qrCode(uri)}
      ${copyable(words, 'secret', 'Key', secret.replace(/(.{4})(?=.)/g, '$1 '))}
      ${changeForm(
        { action: '/account/second-factor', token, label: 'Switch on' },
        html`
          <input type="hidden" name="factor" value=${factor} />
          ${field({ label: 'Code', name: 'code', errors, required: true, autocomplete: 'one-time-code', maxlength: 10 })}
          ${currentPassword(errors)}
          <button type="submit" class="main">Switch on</button>
        `,
      )}
    </section>`,
    errors,
  );
}

function codesPage({ words }: PageRequest, codes: readonly string[]): Page {
  return framed(
    html`<section class="card">
      <h2>On</h2>
      <p>Keep these recovery codes: each signs in once instead of a code of the app, if you lose your phone. They are not shown again.</p>
      ${copyable(words, 'codes', 'Recovery codes', codes.join('\n'))}
      <p><a href="/account">Done</a></p>
    </section>`,
  );
}

/** Black on white in any theme: scanners want that. */
function qrCode(text: string): Html {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return html`<svg viewBox=${`0 0 ${size} ${size}`} width="220" height="220" role="img" aria-label="QR code of the key">
    <rect width=${size} height=${size} fill="#fff" /><path d=${path} fill="#000" />
  </svg>`;
}
