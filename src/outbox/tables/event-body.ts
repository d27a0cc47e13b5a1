/** Whether a body is of this call and this status: what is written twice shows a flipped bit in either. */
export function isBodyOf(body: string, callId: string, status: string): boolean {
  try {
    const event: unknown = JSON.parse(body);
    const { id, status: told } = (event ?? {}) as Readonly<Record<string, unknown>>;
    return id === callId && told === status;
  } catch {
    return false;
  }
}
