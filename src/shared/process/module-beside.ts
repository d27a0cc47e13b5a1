import { extname } from 'node:path';

/** The address of a module named without its ending, as its neighbour `base` sees it: `.ts` here, `.js` once compiled. */
export const moduleBeside = (base: string, name: string): URL => new URL(name + extname(base), base);
