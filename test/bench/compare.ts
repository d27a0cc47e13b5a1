/** One way of doing the work: does it once and says how much of it there was. */
export type Contestant = { readonly name: string; readonly run: () => Promise<number> | number };

/**
 * Measures ways of doing the same work side by side: alternating, so that a machine that slows down slows all of
 * them; the first round is thrown away, the median of `rounds` counts. Prints units per second and the ratio of
 * each to the last one, the floor.
 */
export async function compare(
  title: string,
  unit: string,
  contestants: readonly Contestant[],
  { rounds = 5 } = {},
): Promise<Map<string, number>> {
  const rates = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, run } of contestants) {
      globalThis.gc?.();
      const begin = process.hrtime.bigint();
      const amount = await run();
      const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
      if (round > 0) rates.get(name)?.push(amount / seconds);
    }
  const medians = new Map([...rates].map(([name, list]) => [name, median(list)]));
  const floor = medians.get(contestants.at(-1)?.name ?? '') ?? Number.NaN;
  print(`\n${title} (${unit}/s, median of ${rounds}, alternating)`);
  for (const [name, rate] of medians) {
    const list = rates.get(name) as number[];
    const spread = `${short(Math.min(...list))} to ${short(Math.max(...list))}`;
    print(
      `  ${name.padEnd(44)} ${short(rate).padStart(8)}   ratio ${(rate / floor).toFixed(2)}   (${spread})`,
    );
  }
  return medians;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

function short(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)} M`;
  return value >= 1e4 ? `${(value / 1e3).toFixed(1)} k` : value.toFixed(0);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
