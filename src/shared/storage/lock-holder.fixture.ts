import { lockFolder } from './instance-lock.ts';

// A process that works on a folder, until it is killed. Argument: the folder.

const release = lockFolder(process.argv[2] as string, { name: 'test', who: 'program' }, process.pid);
process.stdout.write('locked\n');
setTimeout(release, 600_000);
