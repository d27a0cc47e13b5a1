/** The call id of the caller's channel with this Uniqueid, as the API has it: it never changes. */
export function callIdOf(pbxId: string, uniqueid: string): string {
  return `${pbxId}-${uniqueid}`;
}

/** The format of Asterisk's uniqueids is `[systemname-]seconds.count`. */
export function isUniqueid(text: string): boolean {
  return /^(?:.+-)?\d{1,11}\.\d+$/.test(text);
}

/** When the channel of a valid uniqueid, or the call of a call id, began, Unix ms, in whole seconds. */
export function beganAt({ uniqueid }: { readonly uniqueid: string }): number {
  return Number(/(\d+)\.\d+$/.exec(uniqueid)?.[1]) * 1_000;
}
