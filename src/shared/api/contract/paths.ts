/** The path that every base address ends in. Part 9. */
export const basePath = '/api/v1';

/** Where the request history is listed, below it. */
export const historyPath = '/voice';
