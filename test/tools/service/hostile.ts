import type { Store } from '../../../src/service/database/store.ts';
import { eachText } from '../../../src/service/people/customer-fields.ts';
import { recorded } from './recorded-request.ts';

/** Texts that strangers could send to do harm, or that merely are as people's names are. */
export const hostileTexts: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  "'-alert(3)-'",
  '</title></textarea><svg onload=alert(4)>',
  'javascript:alert(5)',
  `{{7*7}}\${alert(6)}`,
  '\u202eevil\u202c gnp.exe',
  '\u2066\u2067\u202b\u202d right to left and back',
  'مكتب المحاسبة ١٢٣',
  'Zalgo Z̸̢̛̖̗̘̙̜̝̞̟̠͌̍̎̏̐̑̒̓̔̕a̷l̴g̵o̶',
  '👩‍👩‍👧‍👦📞'.repeat(10),
  'nul\u0000 bell\u0007 escape\u001b[2J newline\nreturn\r tab\t delete\u007f',
  '\ud800 lonely surrogate',
  'x'.repeat(10_000),
  'many words '.repeat(900),
  '&lt;b&gt;&amp;amp;',
  '=HYPERLINK("http://evil.example","x")',
  ' ',
];

/** Segments and customers of these names, and a call of each; as somebody would put them past every check. */
export async function giveHostile(store: Store, account: number, integration: number): Promise<void> {
  for (const [n, text] of hostileTexts.entries()) {
    const name = text.toWellFormed().replace('\0', ''); // NUL gets into no name or id
    await store.customers.putSegment(account, { name, priority: n });
    const from = `+4940669690${String(n).padStart(2, '0')}`;
    const texts = eachText(() => name);
    await store.customers.put(account, [{ ...texts, reference: name, segment: name, numbers: [from] }]);
    for (const [status, after] of [
      ['ringing', 0],
      ['answered', 3000],
      ['completed', 9000],
    ] as const) {
      // Some ring still, some are talking, some were missed.
      if ((n % 4 === 0 && status !== 'ringing') || (n % 4 === 1 && status === 'completed')) continue;
      if (n % 4 === 2 && status === 'answered') continue;
      const callerId = status === 'ringing' || n % 4 === 2 ? null : name;
      await store.requests.record({
        ...recorded({ account, at: Date.now() - 10_000 + after, id: name, status, from, callerId }),
        integration,
        path: `/api/v1/voice/call${n % 2 === 0 ? '' : '/'}`,
        request: n === 0 ? new Uint8Array([0xff, 0x3c, 0x62]) : text,
        status: n % 3 === 0 ? 422 : 200,
        response: JSON.stringify({ message: text }),
        fromNumber: null,
      });
    }
  }
}
