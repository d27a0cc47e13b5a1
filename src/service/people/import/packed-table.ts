import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { Refusal } from '../../kit/refusal.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const chunkSize = 1024 * 1024;

export const tableTooLarge = () => new Refusal(413, (errors) => errors.tableTooLarge);

/**
 * A table as its preview has it for the import that may follow: short, and without characters that a page must escape. So
 * no process has to keep it, and nothing is left of it when the preview is closed.
 */
export const packTable = async (csv: string): Promise<string> =>
  (await compress(csv, { chunkSize })).toString('base64');

/** @throws Refusal if it has more than `most` bytes, or is not a table that was packed */
export async function unpackTable(packed: string, most: number): Promise<string> {
  try {
    return (await decompress(Buffer.from(packed, 'base64'), { chunkSize, maxOutputLength: most })).toString();
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isLarge ? tableTooLarge() : new Refusal(400, ({ notPossible }) => notPossible);
  }
}
