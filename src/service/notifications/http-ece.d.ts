declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  type Options = {
    readonly version: 'aes128gcm';
    /** The other side's public key, the secret shared with it, and the salt: base64url. */
    readonly dh?: string;
    readonly authSecret: string;
    readonly salt?: string;
    readonly privateKey: ECDH;
  };
  const ece: {
    encrypt(text: Buffer, options: Options): Buffer;
    decrypt(body: Buffer, options: Options): Buffer;
  };
  // biome-ignore lint/style/noDefaultExport: the library is a CommonJS module
  export default ece;
}
