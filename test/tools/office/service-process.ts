import { loadConfig } from '../../../src/cli/config/env.ts';
import { serviceSection } from '../../../src/cli/config/service-section.ts';
import { startService } from '../../../src/service/service.ts';
import { silentLog } from '../../../src/shared/log/log.ts';

/** The demo's service, in a process of its own, so that it can be killed. Arguments: its port, and its folder. */
export type ServiceIsUp = { readonly url: string; readonly token: string; readonly link: string };

const [port = '0', folder = ''] = process.argv.slice(2);
const { service: options } = loadConfig(
  { service: serviceSection },
  { SERVICE_LISTEN: `127.0.0.1:${port}`, SERVICE_STATE_DIR: folder, SERVICE_COUNTRY: 'DE' },
);
const fail = (error: unknown) => {
  throw error;
};
const service = await startService(options, { log: silentLog, fail });
const up: ServiceIsUp = { url: service.url, token: service.token(), link: await service.link() };
process.send?.(up);
// Ctrl-C on the terminal is for the demo, which ends this process by disconnecting.
process.on('SIGINT', () => {});
process.once('disconnect', () => void service.stop().then(() => process.exit()));
