import { messageOf } from '../process/message-of.ts';
import { type Answers, addAnswer, type Call, type Methods, noAnswers } from './thread-messages.ts';
import type { Transact } from './transact.ts';
import { troubleOf } from './trouble.ts';

/** Answers each call by itself. */
export function answerEach(methods: Methods): (calls: readonly Call[]) => Answers {
  return (calls) => {
    const answers = noAnswers();
    for (const { id, name, args } of calls) {
      try {
        addAnswer(answers, id, methods[name]?.(...args));
      } catch (error) {
        answers.errors.push(id, messageOf(error));
      }
    }
    return answers;
  };
}

/** Answers calls in one transaction. If that fails, each gets its own, so that only the one at fault is refused. */
export function answerTogether(methods: Methods, transact: Transact): (calls: readonly Call[]) => Answers {
  let commits = 0;

  function run(calls: readonly Call[], answers: Answers): void {
    try {
      const values = transact(() => calls.map(({ name, args }) => methods[name]?.(...args)));
      commits++;
      calls.forEach(({ id }, i) => {
        addAnswer(answers, id, values[i]);
      });
    } catch (error) {
      // Another process writes, and for longer than we wait: no sense in waiting once more for each.
      const alone = calls.length === 1 || troubleOf(error) === 'busy';
      for (const call of calls) {
        if (alone) answers.errors.push(call.id, messageOf(error));
        else run([call], answers);
      }
    }
  }
  return (calls) => {
    const answers = noAnswers();
    run(calls, answers);
    return { ...answers, commits };
  };
}
