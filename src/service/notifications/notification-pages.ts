import { isMailAddress } from '../../shared/mail/mail-address.ts';
import { numberCalledText } from '../accounts/extensions.ts';
import { type Pages, type SegmentRequest, type UserRequest, withSegments } from '../accounts/user-request.ts';
import { createAttemptCounters } from '../kit/attempt-counters.ts';
import { browserName } from '../kit/browser-name.ts';
import { changeForm, choice, choices, type FieldErrors, field, hiddenFields, notice } from '../kit/form.ts';
import { clockOf } from '../kit/opening-hours.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { table } from '../kit/table.ts';
import { missingText } from '../people/segment-uses.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { GATHER_MS } from './due-notices.ts';
import type { NoticeSender } from './notice-sender.ts';
import {
  type Choice,
  everyMissedCall,
  type Medium,
  mediums,
  type Notification,
  type PushDevice,
} from './notification.ts';
import type { NotificationStore } from './notification-store.ts';
import type { WebPush } from './web-push.ts';

type Parts = {
  readonly store: {
    readonly notifications: NotificationStore;
    readonly customers: { missingSegments(account: number, names: readonly string[]): Promise<string[]> };
    readonly calls: { distinct(account: number, what: 'numbers called', max: number): Promise<string[]> };
  };
  /** Undefined: the service cannot send mail. */
  readonly mailer: object | undefined;
  readonly webPush: Pick<WebPush, 'publicKey'>;
  readonly noticeSender: NoticeSender;
};

const home = '/notifications';
/** Minutes in which somebody may call back, that one can choose. */
const WAITS = [0, 5, 10, 15, 30, 60, 120, 240];
/** Numbers called that one can choose: as in the list of calls. */
const MAX_NUMBERS = 200;
/** Characters of an endpoint; those of browsers have some hundred. */
const MAX_ENDPOINT = 1_000;

/**
 * Tests of one user, to one address, and of one account, in a quarter of an hour: addresses are whatever somebody types, and what holds
 * a medium for a minute is gone when it is switched off.
 */
const MOST_TESTS = { user: 5, address: 5, account: 50 } as const;

/** How a user hears of missed calls. */
export function notificationPages(pages: Pages, parts: Parts): void {
  pages.get(home, 'agent', async (request) => page(await withSegments(request), parts));
  pages.post(home, 'agent', async (request) => choose(await withSegments(request), parts));
  const tests = createAttemptCounters();
  pages.post(
    `${home}/test`,
    'agent',
    async (request) => sendTest(await withSegments(request), { ...parts, tests }),
    { turn: 'long' },
  );
  pages.post(`${home}/device`, 'agent', (request) => addDevice(request, parts));
  pages.post(`${home}/device/remove`, 'agent', (request) => removeDevice(request, parts));
}

type On = Partial<Record<Medium, Notification>>;

async function onOf({ user }: UserRequest, { store }: Parts): Promise<On> {
  const on = await store.notifications.ofUser(user.id);
  return Object.fromEntries(on.map((one) => [one.medium, one]));
}

/** As many numbers called as the list of calls offers, and those that are chosen. */
async function numbersOffered(
  { account }: UserRequest,
  { store }: Parts,
  { numbersCalled }: Choice,
): Promise<string[]> {
  const known = await store.calls.distinct(account.id, 'numbers called', MAX_NUMBERS);
  return [...new Set([...known, ...numbersCalled])];
}

/** The account's segments, and those that are chosen: of one that was removed the user must know that nothing matches it. */
const segmentsOffered = ({ segments }: SegmentRequest, chosen: Choice): string[] => [
  ...new Set([...segments.map(({ name }) => name), ...chosen.segments]),
];

async function choose(request: SegmentRequest, parts: Parts): Promise<Answer> {
  const { user, form, now } = request;
  const on = await onOf(request, parts);
  const read = await readChoice(request, parts, on);
  if ('errors' in read) return page(request, parts, read.errors);
  const changed: string[] = [];
  for (const medium of mediums) {
    const after = form.get(medium) ?? '';
    const address = medium === 'mail' ? read.address : '';
    if (after === '') await parts.store.notifications.remove({ user: user.id, medium });
    else
      await parts.store.notifications.put(
        { user: user.id, medium, choice: { ...read.choice, after: Number(after) }, address },
        now,
      );
    changed.push(`${medium} ${after === '' ? 'off' : `after ${after} min${address && ` to ${address}`}`}`);
  }
  await request.audit('settings', `notifications of missed calls: ${changed.join(', ')}`);
  return { redirect: `${home}?done` };
}

/** What the form has, but for when. */
async function readChoice(
  request: SegmentRequest,
  parts: Parts,
  on: On,
): Promise<{ choice: Choice; address: string } | { errors: FieldErrors }> {
  const { form, words } = request;
  const errors: Record<string, string> = {};
  const address = (form.get('address') ?? '').trim();
  const isMail = isMailAddress(address);
  if (!isMail && (form.get('mail') || address !== '')) errors.address = words.weekly.badAddress;
  for (const medium of mediums)
    if (form.get(medium) && !WAITS.map(String).includes(form.get(medium) ?? ''))
      errors[medium] = words.formErrors.invalid;
  const quiet = quietIn(form);
  if (quiet === 'wrong') errors.quiet_from = words.notifications.quietTimes;
  const saved = on.mail?.choice ?? on.push?.choice ?? everyMissedCall;
  const names = form.getAll('segments');
  // Removed since the form was made: without it the user would hear of all calls.
  const known = segmentsOffered(request, saved);
  if (names.some((name) => !known.includes(name))) errors.segments = words.formErrors.choose;
  if (quiet === 'wrong' || Object.keys(errors).length > 0) return { errors };
  const numbers = form.getAll('numbers');
  return {
    address,
    choice: {
      after: 0,
      mine: form.has('mine'),
      segments: known.filter((name) => names.includes(name)),
      numbersCalled: (await numbersOffered(request, parts, saved)).filter((one) => numbers.includes(one)),
      quiet,
    },
  };
}

function quietIn(form: URLSearchParams): Choice['quiet'] | 'wrong' {
  const [from, to] = [form.get('quiet_from') ?? '', form.get('quiet_to') ?? ''];
  if (from === '' && to === '') return null;
  const minutes = [from, to].map((text) => {
    const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
    return hour === undefined ? undefined : Number(hour) * 60 + Number(minute);
  });
  const [first, last] = minutes;
  return first === undefined || last === undefined || first === last ? 'wrong' : [first, last];
}

async function page(request: SegmentRequest, parts: Parts, errors?: FieldErrors, said?: Html): Promise<Page> {
  const { query, token, words, user } = request;
  const text = words.notifications;
  const on = await onOf(request, parts);
  const devices = await parts.store.notifications.devices(user.id);
  return {
    title: words.settings.notifications,
    scripts: ['notifications'],
    ...(errors && { status: 422 }),
    body: html`
      <div class="head"><h1>${words.settings.notifications}</h1>${
        (on.mail || on.push) &&
        changeForm({ action: `${home}/test`, token }, html`<button type="submit">${text.test}</button>`)
      }</div>
      ${query.has('done') && notice(words.common.saved)}
      ${query.has('sent') && notice(text.testSent)}
      ${said}
      <p>${text.lead}</p>
      ${changeForm(
        { action: home, token, is: 'card form', label: words.settings.notifications },
        await formFields(request, parts, on, errors),
      )}
      <section aria-labelledby="devices">
        <h2 id="devices" class="after">${text.devices}</h2>
        ${deviceTable(request, devices)}
        <p id="push" data-token=${token} data-uid=${user.uid} data-key=${parts.webPush.publicKey}>
          <button type="button" hidden>${text.addDevice}</button>
          <span class="is-missed" hidden data-when="blocked">${text.blocked}</span>
          <span class="quiet" hidden data-when="not-offered">${text.notOffered}</span>
        </p>
      </section>
    `,
  };
}

async function formFields(
  request: SegmentRequest,
  parts: Parts,
  on: On,
  errors?: FieldErrors,
): Promise<Html> {
  const { account, form, extensions, formats, user, words } = request;
  const { notifications: text, barSettings } = words;
  const saved = on.mail?.choice ?? on.push?.choice ?? everyMissedCall;
  const missing = missingText(await parts.store.customers.missingSegments(account.id, saved.segments), words);
  const isSent = form.has('address');
  const value = (name: string, otherwise: string) => form.get(name) ?? otherwise;
  const isChosen = (name: string, one: string, otherwise: readonly string[]) =>
    (isSent ? form.getAll(name) : otherwise).includes(one);
  const waits = [
    ['', words.common.off] as const,
    ...WAITS.map(
      (minutes) =>
        [
          String(minutes),
          minutes === 0 ? text.atOnce : text.ifNobody(formats.span(minutes * 60_000)),
        ] as const,
    ),
  ];
  const when = (medium: Medium) =>
    choice({
      label: text[medium],
      name: medium,
      value: value(medium, String(on[medium]?.choice.after ?? '')),
      options: waits,
      errors,
    });
  const address = on.mail?.address ?? (isMailAddress(user.signInName) ? user.signInName : '');
  return html`
    ${missing && notice(missing, 'bad')}
    ${
      parts.mailer === undefined
        ? html`<p class="quiet">${words.weekly.noMail}</p><input type="hidden" name="address" value="" />`
        : html`${when('mail')}${field({ label: words.weekly.address, name: 'address', value: value('address', address), maxlength: 254, autocomplete: 'email', errors })}`
    }
    ${when('push')}
    <div class="hours">
      ${field({ label: text.quietFrom, name: 'quiet_from', type: 'time', value: value('quiet_from', clockOf(saved.quiet?.[0])), errors })}
      ${field({ label: text.quietTo, name: 'quiet_to', type: 'time', value: value('quiet_to', clockOf(saved.quiet?.[1])) })}
    </div>
    <p class="hint">${text.quietHint} ${words.reports.timesIn(formats.timeZone)}</p>
    <label class="choice"><input type="checkbox" name="mine" value="1" checked=${isSent ? form.has('mine') : saved.mine} /> ${barSettings.mine}</label>
    <p class="hint">${text.mineHint}</p>
    ${choices(
      barSettings.segments,
      segmentsOffered(request, saved).map((name) => ({
        name: 'segments',
        value: name,
        text: html`<bdi>${plainText(name, 60)}</bdi>`,
        checked: isChosen('segments', name, saved.segments),
      })),
      { error: errors?.segments },
    )}
    ${choices(
      text.numbersCalled,
      (await numbersOffered(request, parts, saved)).map((one) => ({
        name: 'numbers',
        value: one,
        text: html`<bdi>${plainText(numberCalledText(extensions, one), 60)}</bdi>`,
        checked: isChosen('numbers', one, saved.numbersCalled),
      })),
    )}
    <p class="hint">${text.help}</p>
    <div><button type="submit" class="primary">${words.common.save}</button></div>`;
}

type Device = Awaited<ReturnType<NotificationStore['devices']>>[number];

function deviceTable({ token, formats, now, session, words }: UserRequest, devices: readonly Device[]): Html {
  const { account, common, notifications: text } = words;
  return table({
    caption: account.browser,
    rows: devices,
    columns: [
      {
        head: account.browser,
        cell: (one) =>
          html`${account.browserOn(...browserName(one.browser))}${one.session === session.id && html` <span class="quiet">${account.thisBrowser}</span>`}`,
      },
      { head: text.added, cell: ({ addedAt }) => formats.moment(addedAt, now) },
      {
        head: common.remove,
        cell: ({ endpoint }) =>
          changeForm(
            { action: `${home}/device/remove`, token },
            html`${hiddenFields({ endpoint })}<button type="submit">${common.remove}</button>`,
          ),
      },
    ],
    empty: html`<p class="quiet">${text.noDevice}</p>`,
  });
}

/** Sends a test by all that is on. */
async function sendTest(
  request: SegmentRequest,
  parts: Parts & { readonly tests: ReturnType<typeof createAttemptCounters> },
): Promise<Answer> {
  const { user, account, now, words } = request;
  const text = words.notifications;
  const { notifications } = parts.store;
  const failed: string[] = [];
  const media = await notifications.ofUser(user.id);
  const addresses = media.flatMap(({ address }) => (address === '' ? [] : [address.toLowerCase()]));
  const limits = [
    [`user ${user.id}`, MOST_TESTS.user],
    [`account ${account.id}`, MOST_TESTS.account],
    ...addresses.map((address) => [`address ${address}`, MOST_TESTS.address] as const),
  ] as const;
  if (parts.tests.count(limits, now) === undefined)
    return said(request, parts, words.errors.tooManyAttempts, 429);
  for (const one of media) {
    if (!(await notifications.claim(one, now))) return said(request, parts, text.testTooSoon, 429);
    try {
      if (!parts.noticeSender.canSend(one)) throw new Error('no mail server');
      await parts.noticeSender.test({ ...one, language: user.language }, account, now);
    } catch {
      failed.push(text[one.medium]);
    } finally {
      await notifications.release(one, now + GATHER_MS.mail);
    }
  }
  if (failed.length > 0) return said(request, parts, text.testFailed(failed.join(', ')), 502);
  return { redirect: `${home}?sent` };
}

const said = async (request: SegmentRequest, parts: Parts, text: string, status: number): Promise<Page> => ({
  ...(await page(request, parts, undefined, notice(text, 'bad'))),
  status,
});

/**
 * Adds the browser that asks, which then gets push messages: at once, if its user has chosen nothing else. `renewed`: it had them
 * before its user signed in again, and is not added if that was ended.
 */
async function addDevice(request: UserRequest, parts: Parts): Promise<Answer> {
  const { user, session, form, now } = request;
  const { notifications } = parts.store;
  const device = deviceIn(form);
  if (device === undefined) throw new Refusal(422, (errors) => errors.notPossible);
  if (form.has('renewed')) {
    if (await notifications.renewDevice(device, session.id)) return 'done';
    throw new Refusal(404, (errors) => errors.notThere);
  }
  await notifications.addDevice(device, session.id, now);
  const on = await onOf(request, parts);
  if (on.push !== undefined) return 'done';
  const chosen = { ...(on.mail?.choice ?? everyMissedCall), after: 0 };
  await notifications.put({ user: user.id, medium: 'push', choice: chosen, address: '' }, now);
  await request.audit('settings', 'notifications of missed calls: push after 0 min');
  return 'done';
}

/** A subscription as a browser gives it: a public key of P-256, and a secret of 16 bytes. */
function deviceIn(form: URLSearchParams): PushDevice | undefined {
  const { endpoint = '', publicKey = '', auth = '' } = Object.fromEntries(form);
  const { protocol = '', username, password } = URL.parse(endpoint) ?? {};
  const isAddress = ['https:', 'http:'].includes(protocol) && username === '' && password === '';
  if (!isAddress || endpoint.length > MAX_ENDPOINT) return undefined;
  const bytes = (text: string) =>
    /^[\w-]{1,100}$/.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  const point = bytes(publicKey);
  if (point.length !== 65 || point[0] !== 4 || bytes(auth).length !== 16) return undefined;
  return { endpoint, publicKey, auth };
}

async function removeDevice({ user, form }: UserRequest, { store }: Parts): Promise<Answer> {
  await store.notifications.removeDevice(user.id, form.get('endpoint') ?? '');
  return { redirect: `${home}?done` };
}
