import { encode } from 'uqr';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { copyable } from '../kit/display-text.ts';
import { changeForm, type FieldErrors, field } from '../kit/form.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { type Html, html } from '../words/html.ts';
import type { Words } from '../words/words.ts';
import type { SecondFactor } from './second-factor.ts';
import type { Sessions } from './sessions.ts';

type Parts = {
  readonly access: { readonly secondFactor: SecondFactor };
  readonly sessions: Pick<Sessions, 'closeAll'>;
};

const home = '/security/second-factor';

/** Where users switch their second factor on and off. */
export function secondFactorPages(pages: Pages, parts: Parts): void {
  pages.get(home, 'agent', (request) => page(request, parts));
  pages.post(home, 'agent', (request) => switchOn(request, parts));
  pages.post(`${home}/off`, 'agent', (request) => switchOff(request, parts));
}

function page(request: UserRequest, { access }: Parts, errors?: FieldErrors): Page {
  const { user, account, form } = request;
  if (user.secondFactor !== null) return onPage(request, errors);
  const proposed = access.secondFactor.propose(user, account.name, form.get('factor') ?? undefined);
  return offPage(request, proposed, errors);
}

async function switchOn(request: UserRequest, parts: Parts): Promise<Answer> {
  const { user, form, words } = request;
  const { secondFactor } = parts.access;
  if (user.secondFactor !== null) return { redirect: home };
  if (!(await request.isOwnPassword(form.get('current') ?? '')))
    return page(request, parts, { current: words.formErrors.wrongPassword });
  const codes = await secondFactor.enable(request.session, form.get('factor') ?? '', form.get('code') ?? '');
  if (codes === undefined) return page(request, parts, { code: words.secondFactor.wrongCode });
  // Sessions that began without a code end.
  await parts.sessions.closeAll(user, request.session);
  await request.audit('second-factor', `${user.name}: on`);
  return codesPage(request, codes);
}

async function switchOff(request: UserRequest, parts: Parts): Promise<Answer> {
  const { user, form, words } = request;
  if (!(await request.isOwnPassword(form.get('current') ?? '')))
    return page(request, parts, { current: words.formErrors.wrongPassword });
  await parts.access.secondFactor.disable(user, request.session);
  await request.audit('second-factor', `${user.name}: off`);
  return { redirect: home };
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

function onPage({ token, words }: UserRequest, errors?: FieldErrors): Page {
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
  { token, words }: UserRequest,
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

function codesPage({ words }: UserRequest, codes: readonly string[]): Page {
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
