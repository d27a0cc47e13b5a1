import { encode } from 'uqr';
import { copyable } from '../kit/display-text.ts';
import { changeForm, type FieldErrors, field } from '../kit/form.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import type { SecondFactor } from './second-factor.ts';
import type { Sessions } from './sessions.ts';

/** Where users switch their second factor on and off. */
export function secondFactorPages(
  pages: Pages,
  secondFactor: SecondFactor,
  sessions: Pick<Sessions, 'closeAll'>,
): void {
  const page = (request: PageRequest, errors?: FieldErrors): Page => {
    if (request.user.secondFactor !== null) return onPage(request, errors);
    const proposed = secondFactor.propose(
      request.user,
      request.account.name,
      request.form.get('factor') ?? undefined,
    );
    return offPage(request, proposed, errors);
  };
  pages.get('/security/second-factor', 'agent', (request) => page(request));
  pages.post('/security/second-factor', 'agent', async (request) => {
    const { user, form } = request;
    if (user.secondFactor !== null) return { redirect: '/security/second-factor' };
    if (!(await request.isOwnPassword(form.get('current') ?? '')))
      return page(request, { current: request.words.formErrors.wrongPassword });
    const codes = await secondFactor.enable(user, form.get('factor') ?? '', form.get('code') ?? '');
    if (codes === undefined) return page(request, { code: request.words.secondFactor.wrongCode });
    // Whoever signed in without a code signs in anew.
    await sessions.closeAll(user, request.session);
    await request.audit('second-factor', `${user.name}: on`);
    return codesPage(request, codes);
  });
  pages.post('/security/second-factor/off', 'agent', async (request) => {
    if (!(await request.isOwnPassword(request.form.get('current') ?? '')))
      return page(request, { current: request.words.formErrors.wrongPassword });
    await secondFactor.disable(request.user);
    await request.audit('second-factor', `${request.user.name}: off`);
    return { redirect: '/security/second-factor' };
  });
}

const currentPassword = ({ account }: Words, errors: FieldErrors | undefined) =>
  field({
    label: account.currentPassword,
    name: 'current',
    type: 'password',
    errors,
    required: true,
    autocomplete: 'current-password',
  });

const framed = ({ secondFactor: text }: Words, content: Html, errors?: FieldErrors): Page => ({
  title: text.title,
  scripts: ['copy'],
  ...(errors && { status: 422 }),
  body: html`<div class="head"><h1>${text.title}</h1></div>
    ${content}`,
});

function onPage({ token, words }: PageRequest, errors?: FieldErrors): Page {
  const { common, secondFactor: text } = words;
  return framed(
    words,
    html`<section class="card">
      <p>${text.asksForCode}</p>
      ${changeForm(
        { action: '/security/second-factor/off', token, is: 'form', label: common.switchOff },
        html`${currentPassword(words, errors)}<button type="submit" class="danger">${common.switchOff}</button>`,
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
  const { common, secondFactor: text } = words;
  return framed(
    words,
    html`<section class="card">
      <h2>${common.switchOn}</h2>
      <p>${text.asksForCode}</p>
      <p>${text.scan}</p>
      ${qrCode(uri, text.qrCode)}
      ${copyable(words, 'secret', text.key, secret.replace(/(.{4})(?=.)/g, '$1 '))}
      ${changeForm(
        { action: '/security/second-factor', token, is: 'form', label: common.switchOn },
        html`
          <input type="hidden" name="factor" value=${factor} />
          ${field({ label: words.signIn.code, name: 'code', errors, required: true, autocomplete: 'one-time-code', maxlength: 10 })}
          ${currentPassword(words, errors)}
          <button type="submit" class="primary">${common.switchOn}</button>
        `,
      )}
    </section>`,
    errors,
  );
}

function codesPage({ words }: PageRequest, codes: readonly string[]): Page {
  const { secondFactor: text } = words;
  return framed(
    words,
    html`<section class="card">
      <p>${text.keepCodes}</p>
      ${copyable(words, 'codes', text.recoveryCodes, codes.join('\n'))}
      <p><a class="button" href="/security">${words.settings.security}</a></p>
    </section>`,
  );
}

/** Black on white in any theme: scanners want that. */
function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return html`<svg viewBox=${`0 0 ${size} ${size}`} width="220" height="220" role="img" aria-label=${label}>
    <rect width=${size} height=${size} fill="#fff" /><path d=${path} fill="#000" />
  </svg>`;
}
