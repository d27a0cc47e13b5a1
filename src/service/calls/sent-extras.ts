import { callExtrasSchema, type CallExtras as SentExtras } from '../../shared/api/contract/call-extras.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import type { CallExtras } from './call-extras.ts';

/** As a call keeps them; `country` is the one that its numbers are read in. */
export function extrasOf(
  { number_called, line, at, missed }: SentExtras,
  country: string | null,
): CallExtras {
  return {
    numberCalled:
      number_called === undefined ? null : normaliseNumber(number_called, country) || number_called,
    line: line ?? null,
    missed:
      missed === undefined
        ? null
        : {
            where: missed.where ?? null,
            name: missed.name ?? null,
            by: missed.by ?? null,
            after: missed.after ?? null,
            at: at === undefined ? null : Date.parse(at),
          },
  };
}

/** Why the `extras` of an event's payload were left out; undefined if they were not, or there are none. */
export function extrasProblem(payload: string): string | undefined {
  if (!payload.includes('extras')) return undefined;
  let extras: unknown;
  try {
    extras = JSON.parse(payload)?.extras;
  } catch {
    return undefined;
  }
  const issue = extras == null ? undefined : callExtrasSchema.safeParse(extras).error?.issues[0];
  return issue && `${['extras', ...issue.path].join('.')}: ${issue.message}`;
}
