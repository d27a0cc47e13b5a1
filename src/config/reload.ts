import { isDeepStrictEqual } from 'node:util';
import {
  type AllValues,
  buildConfig,
  type Config,
  type Environment,
  readValues,
  type Sections,
} from './env.ts';

export type Reloaded<S extends Sections> = {
  /** The running program's options: what it takes anew, and everything else as it was. */
  readonly config: Config<S>;
  /** Variables that have changed and count now. */
  readonly live: readonly string[];
  /** Variables that have changed and count from the next start. */
  readonly restart: readonly string[];
};

/** A program's configuration, and how it follows its sources while the program runs. */
export type RunningConfig<S extends Sections> = {
  readonly config: Config<S>;
  /** Reads them again. @throws ConfigError with all that is wrong; then nothing has changed. */
  reload(environment: Environment): Reloaded<S>;
};

/** @throws ConfigError with all that is wrong, at once. */
export function startConfig<const S extends Sections>(
  sections: S,
  environment: Environment,
): RunningConfig<S> {
  let running = readValues(sections, environment);
  return {
    config: buildConfig(sections, running),
    reload(next) {
      const wanted = readValues(sections, next);
      const changed = changes(sections, running, wanted);
      running = withLive(sections, running, wanted);
      return {
        config: buildConfig(sections, running),
        live: changed.filter(({ live }) => live).map(({ name }) => name),
        restart: changed.filter(({ live }) => !live).map(({ name }) => name),
      };
    },
  };
}

function changes(sections: Sections, before: AllValues, after: AllValues): { name: string; live: boolean }[] {
  return Object.entries(sections).flatMap(([key, { shape, live = [] }]) =>
    Object.keys(shape)
      .filter((name) => !isDeepStrictEqual(before[key]?.[name], after[key]?.[name]))
      .map((name) => ({ name, live: live.includes(name) })),
  );
}

function withLive(sections: Sections, before: AllValues, after: AllValues): AllValues {
  const taken = ([key, { live = [] }]: [string, Sections[string]]) => [
    key,
    { ...before[key], ...Object.fromEntries(live.map((name) => [name, after[key]?.[name]])) },
  ];
  return Object.fromEntries(Object.entries(sections).map(taken));
}
