/**
 * Whether SIGHUP came before the program could reload. It must not end a program that is loading; the reload follows.
 */
export const earlyHangup = { came: false };

if (process.argv[2] === 'run' && !process.stdout.isTTY)
  process.on('SIGHUP', () => {
    earlyHangup.came = true;
  });
