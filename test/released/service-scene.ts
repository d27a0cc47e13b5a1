import { Secret, TOTP } from 'otpauth';
import { callers, event } from '../tools/service/harness.ts';
import { form } from '../tools/service/people.ts';
import type { Receiver } from '../tools/service/webhook-receiver.ts';

/** What a test needs to go on with what the scene has stored. */
export type ServiceKeys = {
  readonly operatorToken: string;
  readonly adminToken: string;
  /** Of the first integration. */
  readonly token: string;
  /** The name and the password of an administrator of the first account. */
  readonly name: string;
  readonly password: string;
};

export const password = 'a few plain words';
const missedNumber = '+4930901820';

async function createClient(url: string) {
  const { ask, post, ...client } = callers(url);
  /** A request that must succeed. */
  async function send(path: string, options: Parameters<typeof ask>[1] = {}) {
    const answer = await ask(`${url}${path}`, options);
    if (answer.status >= 400)
      throw new Error(`${options.method ?? 'GET'} ${path}: ${answer.status} ${answer.text.slice(0, 2_000)}`);
    return answer;
  }
  return {
    ...client,
    ask,
    send,
    admin: async (token: string, method: string, path: string, body?: unknown) =>
      (await send(`/admin${path}`, { token, method, ...(body !== undefined && { body }) })).json as Record<
        string,
        string
      >,
    async events(token: string, id: string, from: string, ...statuses: Record<string, unknown>[]) {
      for (const fields of statuses) {
        const { status, text } = await post(token, event({ id, from, ...fields }));
        if (status !== 200) throw new Error(`${id}: ${status} ${text}`);
      }
    },
  };
}

type Client = Awaited<ReturnType<typeof createClient>>;

/** The pages of who has this cookie. */
function createVisitor({ send, url }: Client, cookie: string) {
  const read = (path: string) => send(path, { headers: { cookie } });
  return {
    read,
    async submit(path: string, fields: Record<string, string>, on = '/account') {
      const token = /name="token" value="([^"]+)"/.exec((await read(on)).text)?.[1] ?? '';
      return send(path, form(url, { token, ...fields }, { cookie }));
    },
  };
}

const cookieOf = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers['set-cookie']).split(';')[0] as string;

/** A user who follows the one-time link and chooses a password. */
async function welcome(client: Client, link: string, name: string): Promise<void> {
  const { url } = client;
  const entered = await client.ask(`${url}/sign-in/link`, form(url, { link: link.replace(/.*#/, '') }));
  const place = { country: 'DE', zone: 'Europe/Berlin' };
  const fields = { name, password, language: 'en', ...place };
  await createVisitor(client, cookieOf(entered)).submit('/welcome', fields, '/welcome');
}

/** A user who signs in by name and password. */
const signIn = async (client: Client, name: string) =>
  createVisitor(
    client,
    cookieOf(await client.ask(`${client.url}/sign-in`, form(client.url, { name, password }))),
  );

/** The first day: accounts, people, and calls that figures are kept of when the day is over. */
export async function firstDay(
  url: string,
  { operatorToken, token }: Pick<ServiceKeys, 'operatorToken' | 'token'>,
) {
  const client = await createClient(url);
  const { admin, events } = client;
  const [main] = (await admin(operatorToken, 'GET', '/accounts')) as unknown as { uid: string }[];
  const { admin_token: first = '' } = await admin(operatorToken, 'POST', `/accounts/${main?.uid}/rotate`);
  const { admin_token: second = '' } = await admin(operatorToken, 'POST', '/accounts', {
    name: 'Bakery',
    country: 'NL',
  });
  const left = await admin(operatorToken, 'POST', '/accounts', { name: 'Leaves', country: null });
  await admin(operatorToken, 'PATCH', `/accounts/${main?.uid}`, { requests_per_minute: 600, most_users: 50 });

  for (const [name, priority] of [
    ['VIP', 10],
    ['Owners', 5],
  ] as const)
    await admin(first, 'PUT', `/segments/${name}`, { priority });
  const { json: imported } = await client.send('/admin/customers', {
    token: first,
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: `reference;name;segment;numbers\n1;Weiß & Söhne;VIP;${missedNumber} | +4989123456 | +4989123457\n2;Ann Owner;Owners;+49401234567\n3;No Number;;\n4;Twin of Ann;;+49401234568\n`,
  });
  if ((imported as { imported: number }).imported !== 4) throw new Error(JSON.stringify(imported));
  const anna = await admin(first, 'POST', '/users', {
    name: 'Anna',
    role: 'administrator',
    extensions: ['1001'],
  });
  const bert = await admin(first, 'POST', '/users', { name: 'Bert', extensions: ['1002', '1003'] });
  await admin(first, 'POST', '/users', { name: 'Invited' });
  await admin(first, 'PUT', '/extensions/1009', { name: 'Door' });
  await welcome(client, anna.sign_in_link ?? '', 'Anna');
  await welcome(client, bert.sign_in_link ?? '', 'Bert');

  const ringing = { status: 'ringing', extras: { number_called: '+493012345', line: 'PJSIP/provider' } };
  const missed = { where: 'queue', name: 'sales', by: 'caller', after: 35 };
  await events(token, 'd1-missed', missedNumber, ringing, {
    status: 'completed',
    extras: { ...ringing.extras, missed },
  });
  await events(
    token,
    'd1-answered',
    '+49401234567',
    ringing,
    { status: 'answered', caller_id: '1001' },
    { status: 'completed' },
  );
  await events(token, 'd1-short', '110', { status: 'ringing' }, { status: 'completed' });
  const { token: bakery = '', uid: bakeryUid } = await admin(second, 'POST', '/integrations', {
    name: 'PBX',
  });
  await admin(second, 'PUT', '/customers/1', { name: 'The same number', numbers: [missedNumber] });
  await events(bakery, 'd1-missed', missedNumber, { status: 'ringing' }, { status: 'completed' });

  // An account that is removed in the end, with rows in many tables.
  const leaving = left.admin_token ?? '';
  const { token: gone = '' } = await admin(leaving, 'POST', '/integrations', { name: 'PBX' });
  await admin(leaving, 'PUT', '/segments/S', { priority: 1 });
  await admin(leaving, 'PUT', '/customers/1', { name: 'Gone', segment: 'S', numbers: [missedNumber] });
  const eva = await admin(leaving, 'POST', '/users', {
    name: 'Eva',
    role: 'administrator',
    extensions: ['1'],
  });
  await welcome(client, eva.sign_in_link ?? '', 'Eva');
  await admin(leaving, 'POST', '/webhooks', { url: 'http://127.0.0.1:9/' });
  await events(gone, 'gone', missedNumber, { status: 'ringing' }, { status: 'completed' });
  return { first, second, bakery, bakeryUid, leavesUid: left.uid };
}

type FirstDay = Awaited<ReturnType<typeof firstDay>>;

/**
 * The second day: whatever else users and phone systems do. `tries`: how often an event that the receiver refuses is
 * sent (1.0.0 sends it once on PostgreSQL, which is a defect).
 */
export async function secondDay(
  url: string,
  {
    keys,
    day,
    receiver,
    tries,
  }: { keys: Pick<ServiceKeys, 'operatorToken' | 'token'>; day: FirstDay; receiver: Receiver; tries: number },
): Promise<void> {
  const client = await createClient(url);
  const { admin, events } = client;
  const { token, operatorToken } = keys;
  const { first, second, bakery, bakeryUid, leavesUid } = day;
  const [anna, bert] = [await signIn(client, 'Anna'), await signIn(client, 'Bert')];

  receiver.answer(({ call }, response) => {
    if (call?.startsWith('refused')) response.writeHead(422).end('no such customer');
    else if (call?.startsWith('later')) response.writeHead(500).end('not now');
    else response.end('ok');
  });
  const hook = await admin(first, 'POST', '/webhooks', { url: receiver.url });
  const other = await admin(second, 'POST', '/webhooks', { url: receiver.url, events: ['call.missed'] });
  const missed = [{ status: 'ringing' }, { status: 'completed' }];
  await events(token, 'd2-missed', missedNumber, ...missed);
  await receiver.until((all) => all.some(({ call, type }) => call === 'd2-missed' && type === 'call.missed'));
  await anna.submit(`/webhooks/${hook.uid}/test`, {}, `/webhooks/${hook.uid}`);
  await events(token, 'refused', '+49401234567', { status: 'ringing' });
  await receiver.until((all) => all.filter(({ call }) => call === 'refused').length >= tries);
  await events(
    token,
    'later',
    '+49401234568',
    { status: 'ringing' },
    { status: 'answered', caller_id: '1002' },
  );
  await receiver.until((all) => all.some(({ call }) => call === 'later'));
  await anna.submit(`/webhooks/${hook.uid}/rotate`, { days: '3' }, `/webhooks/${hook.uid}`);
  await admin(second, 'PATCH', `/webhooks/${other.uid}`, { enabled: false });

  // Callers: what colleagues do about who was missed, notes, and a name for a stranger.
  await events(token, 'd2-stranger', '+4989555111', ...missed);
  await events(token, 'd2-forgotten', '+4989555222', ...missed);
  for (const [who, number, kind, text] of [
    [bert, missedNumber, 'taken', ''],
    [bert, missedNumber, 'released', ''],
    [anna, missedNumber, 'taken', ''],
    [anna, missedNumber, 'done', ''],
    [bert, missedNumber, 'reopened', ''],
    [bert, missedNumber, 'note', 'wants an offer — „bis Freitag“'],
    [anna, '+4989555222', 'note', 'to be forgotten'],
  ] as const)
    await who.submit('/call-back', { number, kind, text, from: 'list' });
  await anna.submit('/person/save', {
    name: 'Stranger',
    reference: '',
    number: '+4989555111',
    segment: 'Owners',
  });
  await anna.submit('/person/merge', { customer: '2', other: '4' });
  await anna.submit('/person/remove', { customer: '3' });
  await anna.submit('/calls/forget', { id: 'd2-forgotten' });

  // Settings.
  await anna.submit('/opening-hours', {
    'from-1': '09:00',
    'to-1': '17:00',
    closed: '2026-12-25 2027-01-01',
  });
  await anna.submit('/account/settings', {
    account: 'Office',
    country: 'DE',
    zone: 'Europe/Berlin',
    within: '15',
    crm: 'https://crm.example/?q={number}',
    agents_delete: 'on',
  });
  await bert.submit('/account/calls', { mine: 'on', segments: 'VIP' });
  await anna.submit('/reports/mail', { address: 'anna@office.example' });
  const offered = (await bert.read('/security/second-factor')).text;
  const secret = /<pre id="secret"[^>]*>([A-Z2-7 ]+)</.exec(offered)?.[1]?.replaceAll(' ', '') ?? '';
  await bert.submit('/security/second-factor', {
    factor: /name="factor" value="(\w+)"/.exec(offered)?.[1] ?? '',
    current: password,
    code: new TOTP({ secret: Secret.fromBase32(secret) }).generate(),
  });
  await admin(second, 'POST', `/integrations/${bakeryUid}/rotate`, { old_token_days: 7 });
  await events(bakery, 'd2-old-token', '+31201234567', ...missed);
  await client.ask('/bridge/health', {
    token,
    method: 'POST',
    body: {
      version: '1.0.0',
      queue: { events: 2, oldestMs: 900 },
      problems: [{ code: 'ami.unreachable', what: 'no link', remedy: 'start it', since: Date.now() }],
    },
  });

  // What is refused, and bytes that are no text, are in the history too.
  await client.ask('/voice/call', {
    token,
    method: 'POST',
    body: Buffer.from('{"id":"caf\xe9\0"', 'latin1'),
  });
  await client.ask('/voice/call', { token, method: 'POST', body: { id: 'odd', status: 'odd' } });
  await client.ask(`/voice/priority?number=${encodeURIComponent(missedNumber)}`, { token });
  await events(token, 'd2-open', missedNumber, { status: 'ringing' });

  // Every list, figure and export is read once.
  const dayOf = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const period = `from=${dayOf(9)}&to=${dayOf(0)}`;
  for (const path of [
    '/calls',
    '/calls?q=Weiß',
    '/calls?outcome=missed',
    '/calls/details?id=d1-answered',
    '/calls.csv',
    '/call-back',
    '/customers',
    '/customers?q=Owner',
    '/customers/export',
    '/person?customer=1',
    `/reports?${period}`,
    `/reports.csv?${period}`,
    '/audit',
    '/api-log',
    '/api-log?in=call&term=d1-missed',
    '/users',
    '/segments',
    '/integrations',
    '/webhooks',
    `/webhooks/${hook.uid}?failed=1`,
    '/security',
  ])
    await anna.read(path);
  await client.send('/admin/export', { token: first });
  await admin(operatorToken, 'DELETE', `/accounts/${leavesUid}`);
}
