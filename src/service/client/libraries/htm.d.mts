import type htm from 'htm';

/** The library as it comes from npm: see preact.d.mts. Its own types describe a CommonJS module. */
declare const bound: typeof htm.default;
// biome-ignore lint/style/noDefaultExport: the library has it
export default bound;
