// @ts-expect-error: it has no types
import Manager from 'asterisk-manager';

/**
 * What somebody writes in an afternoon, for measure: asterisk-manager, a map and fetch. Without a disk, order, retry, lookups
 * or anybody's question why. Takes the bridge's settings from its environment; see end-to-end.ts.
 */
const { AMI_PORT, AMI_USERNAME, AMI_SECRET, API_BASE_URL, API_TOKEN } = process.env;

type Fields = Readonly<Record<string, string | undefined>>;
type Call = { readonly from: string; answeredBy?: string };

/** By Linkedid. */
const calls = new Map<string, Call>();

function report(id: string, status: string, { from, answeredBy }: Call): void {
  fetch(`${API_BASE_URL}/voice/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      id: `pbx-${id}`,
      direction: 'inbound',
      status,
      from,
      ...(answeredBy !== undefined && { caller_id: answeredBy }),
    }),
  }).then(
    (answer) => answer.arrayBuffer(),
    (error: Error) => process.stderr.write(`${error.message}\n`),
  );
}

const manager = new Manager(Number(AMI_PORT), '127.0.0.1', AMI_USERNAME, AMI_SECRET, true);

manager.on('managerevent', ({ event, uniqueid = '', linkedid = '', calleridnum = '', context }: Fields) => {
  const call = calls.get(linkedid);
  if (event === 'Newchannel' && uniqueid === linkedid && context === 'from-trunk') {
    const ringing = { from: calleridnum };
    calls.set(linkedid, ringing);
    report(linkedid, 'ringing', ringing);
  } else if (event === 'BridgeEnter' && call && uniqueid !== linkedid && call.answeredBy === undefined) {
    call.answeredBy = calleridnum;
    report(linkedid, 'answered', call);
  } else if (event === 'Hangup' && call && uniqueid === linkedid) {
    calls.delete(linkedid);
    report(linkedid, 'completed', call);
  }
});
