import type { Customer } from '../customer-fields.ts';
import type { CustomerStore } from '../customer-store.ts';
import { isSameCustomer, type PutRefusal, type Replacement, refusalOf } from '../customer-writer.ts';

/** The customers of an account in memory, as far as an import needs them. `before`: is called before a change. */
export function memoryCustomers(
  known: readonly Customer[],
  before: (all: Map<string, Customer>) => void = () => {},
  segments: readonly string[] = ['Gold'],
) {
  const all = new Map(known.map((one) => [one.reference, one]));
  const customers = {
    matching: async (_account: number, references: Iterable<string>, numbers: Iterable<string>) => {
      const [named, having] = [new Set(references), new Set(numbers)];
      return [...all.values()].filter(
        (one) => named.has(one.reference) || one.numbers.some((number) => having.has(number)),
      );
    },
    segments: async () => segments.map((name) => ({ name, priority: 1 })),
    async replace(_account: number, replacement: Replacement): Promise<PutRefusal | null> {
      before(all);
      for (const one of replacement.before) {
        const now = all.get(one.reference);
        if (now === undefined || !isSameCustomer(now, one)) return 'changed';
      }
      const own = new Set(replacement.before.map(({ reference }) => reference));
      const after = new Map(all);
      for (const reference of own) after.delete(reference);
      for (const one of replacement.after) {
        if (after.has(one.reference)) return { reason: 'reference-taken' };
        const ownerOf = (number: string) =>
          [...after.values()].find(({ numbers }) => numbers.includes(number));
        const refusal = refusalOf(one, all.get(one.reference), (name) => segments.includes(name), ownerOf);
        if (refusal) return refusal;
        after.set(one.reference, one);
      }
      all.clear();
      for (const [reference, one] of after) all.set(reference, one);
      return null;
    },
  };
  return { all, customers: customers as unknown as CustomerStore };
}
