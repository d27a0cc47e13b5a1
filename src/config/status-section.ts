import { section } from './section.ts';
import { listen } from './variable.ts';

export const statusSection = section({
  title: 'How the bridge is doing: /status.json, /metrics, /healthz and /readyz',
  shape: {
    STATUS_LISTEN: listen()
      .prefault('127.0.0.1:9438')
      .describe(
        'Where it is asked by pbx-bridge status and by Prometheus; it shows no numbers and no calls.',
      ),
  },
  build: ({ STATUS_LISTEN }) => STATUS_LISTEN,
});
