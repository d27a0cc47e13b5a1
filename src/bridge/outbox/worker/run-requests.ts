import { addError } from '../../../shared/storage/answer.ts';
import { storageErrorKind } from '../../../shared/storage/storage-error.ts';
import {
  type Answers,
  addAnswer,
  noAnswers,
  type ThreadRequest,
} from '../../../shared/storage/thread-messages.ts';
import { answerAll, onlyReads } from './answer-requests.ts';
import { remedyOf } from './failed-run.ts';
import type { createOutboxFile } from './outbox-file.ts';
import { openOrRetry, type StorageStatus } from './storage-status.ts';

type Requests = readonly ThreadRequest[];

/** What requests are run on, and those that wait for the disk. */
export type Keeping = {
  readonly file: ReturnType<typeof createOutboxFile>;
  readonly status: StorageStatus;
  held: Requests;
  commits: number;
  /** From then on, a file that was moved away is written to, too: it may be put back. */
  isClosing: boolean;
};

/** Runs these after those that are held: answers what can be answered now, and holds the rest. */
export function run(keeping: Keeping, requests: Requests): Answers {
  const answers = noAnswers();
  handle(keeping, [...takeHeld(keeping), ...requests], answers);
  return { ...answers, commits: keeping.commits };
}

/** Writes the requests that wait for room on the disk: changes of rows first, as they need less of it than new rows. */
export function writeHeld(keeping: Keeping): Answers {
  const { file, status } = keeping;
  const answers = noAnswers();
  file.makeRoom();
  const { append: appends = [], change: changes = [] } = Object.groupBy(takeHeld(keeping), ({ name }) =>
    name === 'append' ? 'append' : 'change',
  );
  for (const requests of [changes, appends]) {
    if (requests.length > 0 && status.state() === 'full') attempt(keeping, requests, answers);
    else hold(keeping, requests);
  }
  if (status.state() === 'full') {
    if (keeping.held.length === 0) status.works();
    else status.tryAgainLater('full');
  }
  return { ...answers, commits: keeping.commits };
}

function takeHeld(keeping: Keeping): Requests {
  const { held } = keeping;
  keeping.held = [];
  return held;
}

function hold(keeping: Keeping, requests: Requests): void {
  keeping.held = [...keeping.held, ...requests];
}

function handle(keeping: Keeping, requests: Requests, answers: Answers, isRepaired = false): void {
  const { file, status } = keeping;
  const runsNow = (request: ThreadRequest) =>
    status.state() === 'working' || (status.state() === 'full' && file.isOpen() && onlyReads(request));
  const { now = [], later = [] } = Object.groupBy(requests, (one) => (runsNow(one) ? 'now' : 'later'));
  hold(keeping, later);
  if (now.length > 0) attempt(keeping, now, answers, isRepaired);
}

/** Answers these, which may run now, or does what their failure asks for. */
function attempt(keeping: Keeping, requests: Requests, answers: Answers, isRepaired = false): void {
  const { file } = keeping;
  let values: unknown[];
  try {
    const store = file.open();
    const moved = keeping.isClosing ? undefined : file.movedLately();
    if (moved) throw moved;
    values = answerAll(store, requests);
    if (!requests.every(onlyReads)) keeping.commits += 1;
  } catch (error) {
    afterFailure(keeping, requests, error, answers, isRepaired);
    return;
  }
  for (const [i, { id }] of requests.entries()) addAnswer(answers, id, values[i]);
}

function afterFailure(
  keeping: Keeping,
  requests: Requests,
  error: unknown,
  answers: Answers,
  isRepaired: boolean,
): void {
  const { status } = keeping;
  const failed = { kind: storageErrorKind(error), state: status.state(), count: requests.length, isRepaired };
  const remedy = remedyOf(failed);
  switch (remedy.do) {
    case 'refuse':
      for (const { id } of requests) addError(answers, id, error);
      return;
    case 'each alone':
      for (const one of requests) handle(keeping, [one], answers);
      return;
    case 'write what fits':
      writeWhatFits(keeping, requests, answers);
      return;
    case 'again':
      status.enter(remedy.enter, error);
      handle(keeping, requests, answers);
      return;
    case 'hold':
      status.enter(remedy.enter, error);
      hold(keeping, requests);
      return;
    case 'repair':
      repair(keeping, error);
      handle(keeping, requests, answers, true);
      return;
    case 'give up':
      throw error;
  }
}

/** Writes as many requests as fit, by halving them; none overtakes one that did not fit. */
function writeWhatFits(keeping: Keeping, requests: Requests, answers: Answers): void {
  if (requests.length <= 1) {
    hold(keeping, requests);
    return;
  }
  const middle = requests.length >> 1;
  const before = keeping.held.length;
  attempt(keeping, requests.slice(0, middle), answers);
  const rest = requests.slice(middle);
  if (keeping.held.length === before) attempt(keeping, rest, answers);
  else hold(keeping, rest);
}

/** Repairs the damaged file. If the disk does not allow it now, the next attempt does. */
function repair({ file, status }: Keeping, error: unknown): void {
  status.repairing();
  openOrRetry(status, () => {
    file.repair(error);
    status.repaired();
  });
}
