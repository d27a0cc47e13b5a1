import { z } from 'zod';
import { oneOf } from '../../shared/api/contract/text.ts';
import { exportedNumber } from '../../shared/phone-number/normalise-number.ts';
import type { AdminAccess } from '../accounts/admin-access.ts';
import { integrationName, type ServiceDirectory } from '../accounts/directory.ts';
import { callData, callSchema } from '../calls/call-data.ts';
import { cursorText, listOperation, placeIn } from '../kit/admin-list.ts';
import type { ZodInstance } from '../kit/administration.ts';
import { waitingOrder } from '../rules/waiting-order.ts';
import type { CallBackList } from './call-back-list.ts';
import type { CallBack } from './call-backs.ts';

const ms = z.int().describe('Unix milliseconds.');
const callBackSchema = z
  .object({
    numbers: z.array(z.string()).describe('Those that were missed, the last one first.'),
    call: callSchema.describe('The newest missed call.'),
    times: z.int().describe('Missed calls since somebody last talked with the person.'),
    since: ms.describe('When the first of these began, Unix milliseconds.'),
    taken: z.object({ user: z.string(), at: ms }).nullable().describe('Who calls back.'),
    due: ms.nullable().describe('When this user wants to be reminded, Unix milliseconds.'),
    tried: z
      .object({
        times: z.int(),
        at: ms,
        by: z.string().nullable().describe('The user, or the extension.'),
        said_by: z.enum(['user', 'bridge']).describe('`bridge`: one with CALL_BACKS has seen it.'),
      })
      .nullable()
      .describe('Calls to the person that reached nobody; the last one.'),
    note: z.string().nullable().describe('The newest note of the last days.'),
    closed: z
      .object({
        how: z
          .enum(['done', 'talked', 'reached'])
          .describe(
            '`done`: a user says so; `talked`: a bridge has seen that somebody called back; `reached`: the person called again, and was answered.',
          ),
        at: ms,
        by: z.string().nullable().describe('The user, or the extension.'),
      })
      .nullable(),
  })
  .meta({ id: 'CallBack' });

const list = listOperation(
  'listCallBacks',
  'List the people who were missed in the last seven days, and those whom somebody promised to call at a time in these days or later, of more than some 4,000 those who called last: those who wait, in the order of the page Call back; or those who do not, the last one first',
  callBackSchema,
  { state: oneOf('state', ['waiting', 'closed']).default('waiting') },
);

type Parts = AdminAccess & {
  readonly callBackList: Pick<CallBackList, 'readAll'>;
  readonly directory: ServiceDirectory;
};

/** Where a person is in the list: what it is ordered by, and the person. */
type Place = { readonly priority: number | null; readonly since: number; readonly person: string };
const place = z
  .tuple([z.int().nullable(), z.int(), z.string()])
  .transform(([priority, since, person]): Place => ({ priority, since, person }));

/** Whom to call back, and who was. */
export function adminCallBackRoutes(app: ZodInstance, { callBackList, directory, accountOf }: Parts): void {
  app.get('/call-backs', list, async (request) => {
    const { id: account, country } = accountOf(request);
    const { state, cursor, limit } = request.query;
    const { people } = await callBackList.readAll(account);
    const ordered = people
      .filter(({ closed }) => (closed === null) === (state === 'waiting'))
      .map((one) => ({ one, place: placeOf(one) }))
      .sort((a, b) => compare(a.place, b.place));
    const name = `${state} call backs`;
    const after = placeIn(name, cursor, place);
    const left = after === null ? ordered : ordered.filter((row) => compare(row.place, after) > 0);
    const shown = left.slice(0, limit);
    const last = shown.at(-1)?.place;
    const extensions = directory.extensions(account);
    return {
      data: shown.map(({ one }) => {
        const integration = integrationName(directory, account, one.call.integration);
        const numbers = one.numbers.map((number) => exportedNumber(number, country));
        return view({ ...one, numbers }, callData(one.call, extensions, integration, country));
      }),
      next: left.length > limit && last ? cursorText(name, [last.priority, last.since, last.person]) : null,
    };
  });
}

const placeOf = ({ closed, call, since, person }: CallBack): Place =>
  closed === null
    ? { priority: call.priority, since, person }
    : { priority: null, since: -closed.at, person };

/** In the order of the page; then by person, so that each has a place of its own. */
const compare = (a: Place, b: Place): number =>
  waitingOrder(a, b) || (a.person < b.person ? -1 : Number(a.person > b.person));

function view(
  { numbers, times, since, taken, due, tried, note, closed }: CallBack,
  call: ReturnType<typeof callData>,
) {
  return {
    numbers: [...numbers],
    call,
    times,
    since,
    taken: taken && { user: taken.user, at: taken.at },
    due,
    tried: tried && { times: tried.times, at: tried.at, by: tried.by, said_by: tried.saidBy },
    note: note?.text ?? null,
    closed: closed && { how: closed.how, at: closed.at, by: closed.how === 'done' ? closed.user : closed.by },
  };
}
