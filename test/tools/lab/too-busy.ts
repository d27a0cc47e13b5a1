import { availableParallelism, loadavg } from 'node:os';

/** More programs than this that want a processor, for each that there is, and a phone that rings late says nothing. */
const mostForEach = 3;

/** What to say if this machine has had too much to do in the last minute to play calls on it; undefined if not. */
export function tooBusy(): string | undefined {
  const [wanting = 0] = loadavg();
  const processors = availableParallelism();
  if (wanting <= mostForEach * processors) return undefined;
  return `this machine is too busy: ${Math.round(wanting)} programs want its ${processors} processors`;
}
