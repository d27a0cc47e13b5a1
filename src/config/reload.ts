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
  /** The options with the live variables' new values; all others are unchanged. */
  readonly config: Config<S>;
  /** Changed variables that take effect now. */
  readonly live: readonly string[];
  /** Changed variables that need a restart. */
  readonly restart: readonly string[];
};

/** The configuration of a running program, which can be reloaded. */
export type RunningConfig<S extends Sections> = {
  readonly config: Config<S>;
  /** Reads the settings again. @throws ConfigError with all problems; nothing has changed then. */
  reload(environment: Environment): Reloaded<S>;
};

/** @throws ConfigError with all problems at once. */
export function startConfig<const S extends Sections>(
  sections: S,
  environment: Environment,
): RunningConfig<S> {
  let running = readValues(sections, environment);
  return {
    config: buildConfig(sections, running),
    reload(next) {
      const latest = readValues(sections, next);
      const changed = changes(sections, running, latest);
      running = withLive(sections, running, latest);
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
  const merge = ([key, { live = [] }]: [string, Sections[string]]) => [
    key,
    { ...before[key], ...Object.fromEntries(live.map((name) => [name, after[key]?.[name]])) },
  ];
  return Object.fromEntries(Object.entries(sections).map(merge));
}
