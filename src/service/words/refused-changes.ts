// English texts of errors that the store throws, apart from the others: its threads load no libraries.

import { plurals } from './plurals.ts';

const count = plurals('en');

export const limitReached = {
  segments: (most: number) => `An account can have at most ${most} segments.`,
  extensions: (most: number) =>
    `An account can have at most ${most} extensions and numbers called with a name or a user.`,
  integrations: (most: number) => `An account can have at most ${most} integrations.`,
};

export const tooManySegments = (missing: number, most: number) =>
  `The table names ${count(missing, 'segment that does', 'segments that do')} not exist. An account can have at most ${most} segments. Is the column of the segment the right one?`;
