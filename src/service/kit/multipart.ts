import { MIMEType } from 'node:util';

/** A field of a form; `isFile`: its bytes are those of a file. */
type Part = { readonly name: string; readonly isFile: boolean; readonly bytes: Buffer };

/** The names of a field and its file are short. */
const MAX_HEADERS = 8 * 1024;

/**
 * The fields of a form with files (RFC 7578); undefined if it is not one, or has more than `most`. Response.formData blocks for
 * half a minute: it takes thousands of fields, and millions of lines before a field.
 */
export function multipartFields(
  body: Buffer,
  contentType: string,
  most: number,
): Part[] | 'too many' | undefined {
  const boundary = boundaryOf(contentType);
  if (!boundary) return undefined;
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  // The first stands at the beginning, where no line ends before it.
  let at = body.indexOf(delimiter.subarray(2)) === 0 ? delimiter.length - 2 : -1;
  while (at >= 0 && body.toString('latin1', at, at + 2) === '\r\n') {
    const headersEnd = body.subarray(at, at + MAX_HEADERS).indexOf('\r\n\r\n');
    const headers = headersEnd < 0 ? '' : body.toString('utf8', at, at + headersEnd);
    const begin = at + headersEnd + 4;
    const end = body.indexOf(delimiter, begin);
    const name = /^content-disposition:[ \t]*form-data\b.*?;[ \t]*name="(.*?)"/im.exec(headers)?.[1];
    if (name === undefined || end < 0) return undefined;
    if (parts.length === most) return 'too many';
    const isFile = /^content-disposition:.*?;[ \t]*filename\*?=/im.test(headers);
    parts.push({ name: decodedName(name), isFile, bytes: body.subarray(begin, end) });
    at = end + delimiter.length;
  }
  return at >= 0 && body.toString('latin1', at, at + 2) === '--' ? parts : undefined;
}

function boundaryOf(contentType: string): string | null {
  try {
    return new MIMEType(contentType).params.get('boundary');
  } catch {
    return null;
  }
}

/** Browsers escape what ends a name, and nothing else. */
const decodedName = (name: string) => name.replace(/%0d|%0a|%22/gi, (encoded) => decodeURIComponent(encoded));
