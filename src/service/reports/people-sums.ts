import { MAX_GROUPS, OTHERS } from '../calls/aggregate.ts';
import type { SharedCalls } from '../calls/people-figures.ts';

/** The user of an extension, or the extension itself. */
export type PersonOf = (extension: string) => number | string;

/** What one person had to do with the calls of a period. */
export type PersonFigures = {
  readonly person: number | string;
  /** Those that rang or talked. */
  readonly extensions: readonly string[];
  /** Calls that rang there, or that the person took: the sum of `answered`, `byOthers`, `missed` and calls that still ring. */
  readonly offered: number;
  /** Calls in which the person talked, first or after a transfer. */
  readonly answered: number;
  /** Calls that rang there, and in which only others talked. */
  readonly byOthers: number;
  /** Calls that rang there, and that nobody took. */
  readonly missed: number;
  readonly talkedSeconds: number;
};

type Sum = { -readonly [Key in keyof Omit<PersonFigures, 'person' | 'extensions'>]: number } & {
  readonly extensions: Set<string>;
};

const noSum = (): Sum => ({
  extensions: new Set(),
  offered: 0,
  answered: 0,
  byOthers: 0,
  missed: 0,
  talkedSeconds: 0,
});

/** Counts calls by person: one that rang at several extensions of a person was offered once. */
export function countPeople(personOf: PersonOf) {
  const people = new Map<number | string, Sum>();
  let hasRang = false;

  function sumOf(extension: string): Sum {
    const own = personOf(extension);
    const person = people.has(own) || people.size < MAX_GROUPS ? own : OTHERS;
    const sum = people.get(person) ?? noSum();
    people.set(person, sum);
    sum.extensions.add(person === OTHERS ? OTHERS : extension);
    return sum;
  }

  return {
    add(shared: readonly SharedCalls[]): void {
      for (const { rang, talked, outcome, calls } of shared) {
        hasRang ||= rang !== null;
        const took = new Set<Sum>();
        for (const [extension, seconds] of talked) {
          const sum = sumOf(extension);
          took.add(sum);
          sum.talkedSeconds += seconds;
        }
        for (const sum of took) sum.answered += calls;
        const offered = new Set([...took, ...(rang ?? []).map(sumOf)]);
        for (const sum of offered) {
          sum.offered += calls;
          if (outcome === 'missed') sum.missed += calls;
          if (outcome === 'answered' && !took.has(sum)) sum.byOthers += calls;
        }
      }
    },
    figures: (): { people: PersonFigures[]; hasRang: boolean } => ({
      people: [...people].map(([person, sum]) => ({ person, ...sum, extensions: [...sum.extensions] })),
      hasRang,
    }),
  };
}
