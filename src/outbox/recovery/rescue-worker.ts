import { readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { workerData } from 'node:worker_threads';
import { partOf, sync } from '../../storage/replace.ts';
import { unsavedMark } from './quick-repair.ts';
import { saveAll } from './repair.ts';

// Saves all that can be read of a damaged file into a database beside it, while the outbox works with what it needs.

const { aside, target } = workerData as { readonly aside: string; readonly target: string };
saveAll(aside, readFileSync(unsavedMark(aside)), partOf(target));
sync(partOf(target));
renameSync(partOf(target), target);
sync(dirname(target));
