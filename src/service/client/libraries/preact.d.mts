/**
 * The library as it comes from npm. kit/assets.ts serves it at this address: browsers cannot resolve the names of packages,
 * and an import map would be an inline script.
 */
export * from 'preact';
