import { messageOf } from '../process/parse-json.ts';
import type { Transact } from './open-database.ts';
import { storageErrorKind } from './storage-error.ts';
import { type Answers, addAnswer, type Methods, noAnswers, type ThreadRequest } from './thread-messages.ts';

/** Answers each request by itself. */
export function answerEach(methods: Methods): (requests: readonly ThreadRequest[]) => Answers {
  return (requests) => {
    const answers = noAnswers();
    for (const { id, name, args } of requests) {
      try {
        addAnswer(answers, id, methods[name]?.(...args));
      } catch (error) {
        answers.errors.push(id, messageOf(error));
      }
    }
    return answers;
  };
}

/** Does nothing, and says why. */
export function refuseAll(requests: readonly ThreadRequest[], why: string): Answers {
  return { ...noAnswers(), errors: requests.flatMap(({ id }) => [id, why]) };
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
        if (alone) answers.errors.push(request.id, messageOf(error));
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
