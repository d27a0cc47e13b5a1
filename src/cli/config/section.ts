import type { z } from 'zod';

/** Metadata of a variable that takes effect on a reload; the others need a restart. */
export const live = { live: true };

export function isLive(schema: z.ZodType): boolean {
  return schema.meta()?.live === true;
}

export type Shape = Readonly<Record<string, z.ZodType>>;
export type Values<S extends Shape> = { [K in keyof S]: z.output<S[K]> };

/**
 * A section of the configuration: the variables of one part of the program, and the options built from them. `conflicts`
 * returns one line for each combination of valid values that does not work.
 * They are methods and not function properties, since TypeScript compares the parameters of methods in both directions:
 * so a section of any shape is a `Section<Shape, unknown>`.
 */
export type Section<S extends Shape, Options> = {
  readonly title: string;
  readonly shape: S;
  /** Where secrets among them are sent to: if one of these has changed, the live ones need a restart too. */
  readonly address?: readonly string[];
  conflicts?(values: Values<S>, all: Readonly<Record<string, Values<Shape>>>): string[];
  build(values: Values<S>): Options;
};

export function section<S extends Shape, Options>(
  definition: Section<S, Options> & {
    readonly address?: readonly (keyof S)[];
  },
): Section<S, Options> {
  return definition;
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

/** The values as options of the same names: `WITHHELD_NUMBER` as `withheldNumber`. */
export function camelCased<V extends object>(values: V) {
  const option = (name: string) => name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  const options = Object.entries(values).map(([name, value]) => [option(name), value]);
  return Object.fromEntries(options) as { [Name in keyof V & string as CamelCase<Name>]: V[Name] };
}
