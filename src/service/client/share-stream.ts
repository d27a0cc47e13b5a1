import { openStream } from './open-stream.ts';

/**
 * In a worker: one stream for all tabs and windows of a browser. Browsers allow six connections per host, so that with six
 * tabs open nothing else would load.
 */
export function shareStream(): void {
  const ports = new Set<MessagePort>();
  const stream = openStream((state) => {
    for (const port of ports) port.postMessage(state);
  });

  function welcome(port: MessagePort): void {
    ports.add(port);
    port.onmessage = ({ data }) => {
      if (data === 'check') {
        stream.check();
        stream.report(); // the page has hidden uncertain calls and waits for the state
      }
      if (data === 'bye') ports.delete(port);
    };
    stream.report();
  }

  self.addEventListener('connect', (event) => {
    if (event instanceof MessageEvent) for (const port of event.ports) welcome(port);
  });
}
