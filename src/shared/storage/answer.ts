import { messageOf } from '../process/parse-json.ts';
import type { Transact } from './open-database.ts';
import { isUnavailable, storageErrorKind } from './storage-error.ts';
import { type Answers, addAnswer, type Methods, noAnswers, type ThreadRequest } from './thread-messages.ts';

export function addError({ errors }: Answers, id: number, error: unknown): void {
  errors.push({ id, message: messageOf(error), isUnavailable: isUnavailable(error) });
}

/** Answers each request by itself. */
export function answerEach(methods: Methods): (requests: readonly ThreadRequest[]) => Answers {
  return (requests) => {
    const answers = noAnswers();
    for (const { id, name, args } of requests) {
      try {
        addAnswer(answers, id, methods[name]?.(...args));
      } catch (error) {
        addError(answers, id, error);
      }
    }
    return answers;
  };
}

/** Does nothing, and says why. */
export function refuseAll(requests: readonly ThreadRequest[], why: Error): Answers {
  const answers = noAnswers();
  for (const { id } of requests) addError(answers, id, why);
  return answers;
}

/** Answers requests in one transaction. If that fails, each gets its own, so that only the faulty one is refused. */
export function answerTogether(
  methods: Methods,
  transact: Transact,
): (requests: readonly ThreadRequest[]) => Answers {
  let commits = 0;

  function run(requests: readonly ThreadRequest[], answers: Answers): void {
    try {
      const values = transact(() => requests.map(({ name, args }) => methods[name]?.(...args)));
      commits++;
      requests.forEach(({ id }, i) => {
        addAnswer(answers, id, values[i]);
      });
    } catch (error) {
      // Another process holds the lock for longer than our timeout: do not wait again for each request.
      const alone = requests.length === 1 || storageErrorKind(error) === 'busy';
      for (const request of requests) {
        if (alone) addError(answers, request.id, error);
        else run([request], answers);
      }
    }
  }
  return (requests) => {
    const answers = noAnswers();
    run(requests, answers);
    return { ...answers, commits };
  };
}
