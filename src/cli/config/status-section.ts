import { section } from './section.ts';
import { listen } from './variable.ts';

export const statusSection = section({
  title: 'Status server: /status.json, /metrics, /healthz and /readyz',
  shape: {
    STATUS_LISTEN: listen()
      .prefault('127.0.0.1:9438')
      .describe(
        'Address of the status server, for pbx-bridge status and Prometheus. It shows no phone numbers and no calls.',
      ),
  },
  build: ({ STATUS_LISTEN }) => STATUS_LISTEN,
});
