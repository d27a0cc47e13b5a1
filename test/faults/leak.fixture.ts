import { openSync } from 'node:fs';

/** Loaded before the bridge: every second it keeps four megabytes and an open file for ever. */
const kept: unknown[] = [];
setInterval(() => kept.push(Buffer.alloc(1 << 22, 1), openSync('/dev/null', 'r')), 1_000).unref();
