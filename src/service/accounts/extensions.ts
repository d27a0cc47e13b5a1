import { spaced } from '../../shared/phone-number/normalise-number.ts';
import type { Extensions } from './account.ts';

export const noExtensions: Extensions = new Map();

/** The name of an extension: its own, else its user's; undefined if it has none. */
export function extensionName(extensions: Extensions, extension: string): string | undefined {
  const known = extensions.get(extension);
  return known && (known.name || (known.userName ?? undefined));
}

/** Who answered, in a row or on a card: the name, or the extension if it has none. */
export const answererName = (extensions: Extensions, extension: string): string =>
  extensionName(extensions, extension) ?? extension;

/** Who answered, where the extension matters, as in reports and filters: `Jana (1001)`, or the extension alone if it has no name. */
export function extensionText(extensions: Extensions, extension: string): string {
  const name = extensionName(extensions, extension);
  return name === undefined || name === extension ? extension : `${name} (${extension})`;
}

/** A number that is called, wherever it is shown: `Sales line (+49 89 1234)`, or the number alone. */
export function numberCalledText(extensions: Extensions, number: string): string {
  const name = extensionName(extensions, number);
  return name === undefined ? spaced(number) : `${name} (${spaced(number)})`;
}

/** The extensions of a user. */
export const extensionsOf = (extensions: Extensions, user: number): string[] =>
  [...extensions.values()].filter((one) => one.user === user).map(({ extension }) => extension);
