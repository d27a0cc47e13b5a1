import assert from 'node:assert/strict';

/** The characters of the code page of DOS in western Europe from 0x80 on; decoders on the web do not know it. */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
  '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0';

/** The bytes of a text in an encoding of one or two bytes a character. */
export function encoder(encoding: string): (text: string) => Buffer {
  if (encoding === 'cp850')
    return (text) =>
      Buffer.from(
        Array.from(text, (char) => (char < '\x80' ? char.charCodeAt(0) : 0x80 + CP850.indexOf(char))),
      );
  const decoder = new TextDecoder(encoding, { fatal: true });
  const bytesOf = new Map<string, number[]>();
  const learn = (...bytes: number[]) => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if ([...text].length === 1 && !bytesOf.has(text)) bytesOf.set(text, bytes);
    } catch {
      // No character.
    }
  };
  for (let byte = 0; byte < 256; byte += 1) learn(byte);
  if (!/^(?:windows|iso|koi|ibm|mac)/.test(encoding))
    for (let lead = 0x81; lead < 0xff; lead += 1)
      for (let tail = 0x40; tail < 0xff; tail += 1) learn(lead, tail);
  return (text) =>
    Buffer.from(
      Array.from(text, (char) => {
        const bytes = bytesOf.get(char);
        assert.ok(bytes, `${char} is not in ${encoding}`);
        return bytes;
      }).flat(),
    );
}
