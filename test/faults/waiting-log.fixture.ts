import fs from 'node:fs';

/** Loaded before the bridge: a line of its log waits until there is room for it. */
const { writeSync } = fs;
const nobody = new Int32Array(new SharedArrayBuffer(4));
fs.writeSync = ((fd: number, ...what: [string]) => {
  for (;;) {
    try {
      return writeSync(fd, ...what);
    } catch (error) {
      if (fd !== 1 || (error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(nobody, 0, 0, 100);
    }
  }
}) as typeof writeSync;
