import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Metrics for Prometheus. Names follow its conventions (prometheus.io/docs/practices/naming): seconds, bytes, `_total`.
 * Labels never contain values from calls: no number, no call id, no channel name.
 */
export type MetricRow<Status> = {
  /** Without the prefix. A name that ends in `_total` is a counter. */
  readonly name: string;
  readonly help: string;
  readonly read: (status: Status) => number | Readonly<Record<string, number>> | undefined;
  /** The label for the keys of a reading that is an object. */
  readonly label?: string;
};

type HistogramRow = {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds, seconds. */
  readonly buckets: readonly number[];
};

type MetricRegistry<Status, Name extends string> = {
  /** Adds a duration, ms, to a histogram. */
  observe(histogram: Name, durationMs: number, labels?: Readonly<Record<string, string>>): void;
  /** Returns the text of `/metrics`; `info`: labels of the metric `info`. */
  render(status: Status, info: Readonly<Record<string, string>>): Promise<string>;
  /** The program's own metrics, for the reference page. */
  list(): ListedMetric[];
  readonly contentType: string;
};

export type ListedMetric = { name: string; type: string; help: string; labels: string[] };

/** @param withProcess adds the usual metrics of a process and of Node (`process_*`, `nodejs_*`). */
export function createMetricRegistry<Status, Name extends string>(
  prefix: string,
  {
    info,
    rows,
    histograms,
    withProcess,
  }: {
    readonly info: { readonly help: string; readonly labels: readonly string[] };
    /** Read from the status at each scrape. */
    readonly rows: readonly MetricRow<Status>[];
    readonly histograms: Readonly<Record<Name, HistogramRow>>;
    readonly withProcess: boolean;
  },
): MetricRegistry<Status, Name> {
  const registry = new Registry();
  const registers = [registry];
  const about = new Gauge({
    name: `${prefix}info`,
    help: info.help,
    labelNames: [...info.labels],
    registers,
  });
  const read = rows.map(({ name, help, label, read }) => {
    const kind = name.endsWith('_total') ? Counter : Gauge;
    const labelNames = label === undefined ? [] : [label];
    return { label, read, metric: new kind({ name: prefix + name, help, labelNames, registers }) };
  });
  const timed = Object.entries<HistogramRow>(histograms).map(
    ([key, { name, help, labels = [], buckets }]) => {
      const labelNames = [...labels];
      return [
        key,
        new Histogram({ name: prefix + name, help, labelNames, buckets: [...buckets], registers }),
      ] as const;
    },
  );
  const byName = new Map<string, Histogram>(timed);
  const own = [about, ...read.map(({ metric }) => metric), ...byName.values()];
  if (withProcess) collectDefaultMetrics({ register: registry });

  return {
    observe: (histogram, durationMs, labels = {}) =>
      byName.get(histogram)?.observe(labels, Math.max(durationMs, 0) / 1000),
    async render(status, labels) {
      for (const { label, read: readFrom, metric } of read) {
        metric.reset();
        const reading = readFrom(status);
        if (typeof reading === 'number') metric.inc(reading);
        else if (label !== undefined)
          for (const [value, count] of Object.entries(reading ?? {})) metric.inc({ [label]: value }, count);
        else metric.remove();
      }
      about.set(labels, 1);
      return registry.metrics();
    },
    list: () =>
      (own as unknown as { name: string; help: string; labelNames: string[] }[]).map((metric) => ({
        name: metric.name,
        type: typeOf(metric),
        help: metric.help,
        labels: [...metric.labelNames],
      })),
    contentType: registry.contentType,
  };
}

function typeOf(metric: unknown): string {
  return metric instanceof Counter ? 'counter' : metric instanceof Histogram ? 'histogram' : 'gauge';
}
