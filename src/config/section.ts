import type { z } from 'zod';

export type Shape = Readonly<Record<string, z.ZodType>>;
export type Values<S extends Shape> = { [K in keyof S]: z.output<S[K]> };

/**
 * A section of the configuration: the variables of one part of the program, by name, and the options that the part
 * is built with. `conflicts` names what is wrong between variables that are each fine, a line for each.
 * (Methods, not function properties, so that a section of any shape is a `Section<Shape, unknown>`.)
 */
export type Section<S extends Shape, Options> = {
  readonly title: string;
  readonly shape: S;
  /** Those that a program takes anew while it runs; the others count from the next start. */
  readonly live?: readonly string[];
  conflicts?(values: Values<S>): string[];
  build(values: Values<S>): Options;
};

export function section<S extends Shape, Options>(
  definition: Section<S, Options> & { readonly live?: readonly (keyof S)[] },
): Section<S, Options> {
  return definition;
}
