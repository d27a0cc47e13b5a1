import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { type AllValues, buildConfig, type Config, readValues, type Sections } from './env.ts';
import { type Environment, isLive } from './variable.ts';

type Reloaded<S extends Sections> = {
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
      const live = changed.filter(({ live }) => live);
      running = withValues(running, latest, live);
      return {
        config: buildConfig(sections, running),
        live: live.map(({ name }) => name),
        restart: changed.filter(({ live }) => !live).map(({ name }) => name),
      };
    },
  };
}

type Change = { readonly section: string; readonly name: string; readonly live: boolean };

function changes(sections: Sections, before: AllValues, after: AllValues): Change[] {
  return Object.entries(sections).flatMap(([section, { shape, address = [] }]) => {
    const changed = Object.keys(shape).filter(
      (name) => !isDeepStrictEqual(before[section]?.[name], after[section]?.[name]),
    );
    // A new secret must not go to the old address.
    const moved = changed.some((name) => address.includes(name));
    return changed.map((name) => ({ section, name, live: isLive(shape[name] as z.ZodType) && !moved }));
  });
}

function withValues(before: AllValues, after: AllValues, changes: readonly Change[]): AllValues {
  const changedIn = (section: string) =>
    changes.filter((one) => one.section === section).map(({ name }) => [name, after[section]?.[name]]);
  return Object.fromEntries(
    Object.entries(before).map(([section, values]) => [
      section,
      { ...values, ...Object.fromEntries(changedIn(section)) },
    ]),
  );
}
