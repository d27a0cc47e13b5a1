import { isDeepStrictEqual } from 'node:util';
import { tokenReplaced } from '../accounts/limits.ts';
import { given, type Statements } from '../store/statements.ts';
import { failWaiting, STEP } from './waiting-deliveries.ts';
import {
  type EventFilter,
  noFilter,
  type Shape,
  standardOptions,
  type Webhook,
  type WebhookChange,
  type WebhookEvent,
  type WebhookOptions,
} from './webhook.ts';

const webhookColumns = `id, uid, account_id AS account, url, events, secret_counter AS "secretCounter",
  old_secret_until AS "oldSecretUntil", enabled, since, failure, failing_since AS "failingSince", shape, headers, filter`;

type Row = Omit<Webhook, 'events' | 'shape' | 'filter'> &
  Readonly<{ events: string; shape: string | null; filter: string | null }>;

/** As they are stored. */
const optionValues = ({ shape, headers, filter }: WebhookOptions): (string | null)[] => [
  shape && JSON.stringify(shape),
  headers,
  isDeepStrictEqual(filter, noFilter) ? null : JSON.stringify(filter),
];

/** Of a webhook that is off: it can still be switched on again. */
const failAll = (statements: Pick<Statements, 'read' | 'write'>, id: number): Promise<number> =>
  failWaiting(statements, 'EXISTS (SELECT 1 FROM webhooks WHERE id = $1 AND enabled = $2)', id, false);

/** The webhooks of all accounts. Times are Unix ms. */
export const createWebhookSettingsStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => ({
  /** Those of an account; null: all. */
  async list(account: number | null): Promise<Webhook[]> {
    const rows = await read<Row>(
      `SELECT ${webhookColumns} FROM webhooks ${account === null ? '' : 'WHERE account_id = $1'} ORDER BY id`,
      ...(account === null ? [] : [account]),
    );
    return rows.map(({ events, shape, filter, ...row }) => ({
      ...row,
      events: events.split(' ') as WebhookEvent[],
      enabled: Boolean(row.enabled),
      shape: shape === null ? null : (JSON.parse(shape) as Shape),
      filter: filter === null ? noFilter : (JSON.parse(filter) as EventFilter),
    }));
  },
  async add(
    webhook: Pick<Webhook, 'uid' | 'account' | 'url' | 'events' | 'since'> & {
      readonly options?: WebhookOptions;
    },
  ): Promise<void> {
    const { uid, account, url, events, since, options = standardOptions } = webhook;
    await write(
      `INSERT INTO webhooks (uid, account_id, url, events, since, shape, headers, filter)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      ...[uid, account, url, events.join(' '), since, ...optionValues(options)],
    );
  },
  /** @throws ChangeRefused if another request has replaced the secret */
  async change(id: number, change: WebhookChange): Promise<void> {
    const { url = null, events, replaces, oldSecretUntil, failingSince, options } = change;
    const isNew = replaces !== undefined;
    const changed = await write(
      `UPDATE webhooks SET url = coalesce($2, url), events = coalesce($3, events),
         secret_counter = secret_counter + $4,
         old_secret_until = CASE WHEN $5 THEN $6 ELSE old_secret_until END,
         failing_since = CASE WHEN $7 THEN $8 ELSE failing_since END,
         shape = CASE WHEN $10 THEN $11 ELSE shape END,
         headers = CASE WHEN $10 THEN $12 ELSE headers END,
         filter = CASE WHEN $10 THEN $13 ELSE filter END
       WHERE id = $1 AND secret_counter = coalesce($9, secret_counter) RETURNING id`,
      ...[id, url, events?.join(' ') ?? null, isNew ? 1 : 0],
      ...[isNew || oldSecretUntil !== undefined, oldSecretUntil ?? null],
      ...[...given(failingSince), replaces ?? null],
      ...[options !== undefined, ...optionValues(options ?? standardOptions)],
    );
    if (isNew && changed.length === 0) throw tokenReplaced();
  },
  /** Events from `at` on are sent. */
  async switchOn(id: number, at: number): Promise<void> {
    await failAll({ read, write }, id); // what a crash has left of it
    await write(
      'UPDATE webhooks SET enabled = $3, since = $2, failure = NULL, failing_since = NULL WHERE id = $1',
      ...[id, at, true],
    );
  },
  /** Its waiting events count as failed. `failure`: the reason, if the service switches it off; null if a user does. */
  async switchOff(id: number, failure: Webhook['failure']): Promise<void> {
    await write('UPDATE webhooks SET enabled = $3, failure = $2 WHERE id = $1', id, failure, false);
    await failAll({ read, write }, id);
  },
  async remove(id: number): Promise<void> {
    await write('UPDATE webhooks SET enabled = $2 WHERE id = $1', id, false);
    const last = `SELECT max(id) AS id FROM
      (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id LIMIT ${STEP}) oldest`;
    for (;;) {
      const [{ id: upTo } = { id: null }] = await read<{ id: number | null }>(last, id);
      if (upTo === null) break;
      await write('DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND id <= $2', id, upTo);
    }
    await write('DELETE FROM webhooks WHERE id = $1', id);
  },
});
