/** Whether SIGHUP came before the program could reload: it must not end a program that loads, and is made up for. */
export const earlyHangup = { came: false };

if (process.argv[2] === 'run' && !process.stdout.isTTY)
  process.on('SIGHUP', () => {
    earlyHangup.came = true;
  });
