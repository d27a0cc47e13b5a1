import { receptionNumber, receptionPhone } from './office-numbers.ts';
import { mobilePort, type Office, offices, phonePort, phonesPerOffice } from './offices.ts';
import type { PortBlock } from './ports.ts';

/** Phones (the second registers under a made-up name, as softphones do), one trunk for all offices, and a trunk for each on which nobody calls in. */
export function pjsipConf(ports: PortBlock, trunkContext: string): string {
  const phones = offices.flatMap((office) =>
    office.extensions.map((extension, i) => {
      const registered = i + 1 < phonesPerOffice;
      return `
[${extension}](phone)
aors = ${extension}
callerid = ${i + 1 === receptionPhone ? `Reception <${receptionNumber(office)}>` : `Phone ${extension} <${extension}>`}
call_group = ${office.number}
set_var = CHANNEL(parkinglot)=lot-${office.number}
pickup_group = ${office.number}
[${extension}]
type = aor
${registered ? `contact = sip:${i + 1 === 2 ? 'x4k9w2m7' : extension}@127.0.0.1:${phonePort(ports, office, i + 1)}` : '; nobody is registered here'}
`;
    }),
  );
  return `
[global]
type = global
endpoint_identifier_order = header,username
[transport]
type = transport
protocol = udp
bind = 127.0.0.1:${ports.sip}
[phone](!)
type = endpoint
context = from-internal
disallow = all
allow = ulaw
direct_media = no
dtmf_mode = info
media_address = 127.0.0.1
identify_by = username
[trunk](phone)
context = ${trunkContext}
trust_id_inbound = yes
aors = trunk
[trunk]
type = aor
contact = sip:127.0.0.1:${mobilePort(ports, offices[0] as Office)}
; no call ever comes in here
[outgoing]
type = endpoint
context = from-internal
disallow = all
allow = ulaw
direct_media = no
media_address = 127.0.0.1
aors = trunk
; Callers and phones share 127.0.0.1: this header distinguishes them.
[trunk]
type = identify
endpoint = trunk
match_header = X-Trunk: yes
${offices.map((office) => outgoingTrunk(ports, office, trunkContext)).join('')}${phones.join('')}`;
}

function outgoingTrunk(ports: PortBlock, office: Office, context: string): string {
  return `
[siproute-${office.number}](phone)
context = ${context}
aors = siproute-${office.number}
[siproute-${office.number}]
type = aor
contact = sip:127.0.0.1:${mobilePort(ports, office)}
`;
}

/** Everybody may call in over chan_sip: it is a second trunk. */
export function chanSipConf(ports: PortBlock): string {
  return chanSipGeneral(ports, 'from-trunk');
}

/** Phones and trunks on chan_sip, as FreePBX 16 has them. */
export function freepbxSipConf(ports: PortBlock): string {
  const phones = offices.flatMap((office) =>
    office.extensions.map((extension, i) => {
      return `
[${extension}]
type = friend
host = 127.0.0.1
port = ${phonePort(ports, office, i + 1)}
context = from-internal
callerid = Phone ${extension} <${extension}>
callgroup = ${office.number}
pickupgroup = ${office.number}
setvar = CHANNEL(parkinglot)=lot-${office.number}
`;
    }),
  );
  const outgoing = offices.map(
    (office) => `
[siproute-${office.number}]
type = peer
host = 127.0.0.1
port = ${mobilePort(ports, office)}
context = from-trunk-sip-siproute-${office.number}
`,
  );
  return `${chanSipGeneral(ports, 'from-sip-external')}
[trunk]
type = peer
host = 127.0.0.1
insecure = port,invite
context = from-trunk-sip-trunk
trustrpid = yes
${[...outgoing, ...phones].join('')}`;
}

function chanSipGeneral(ports: PortBlock, context: string): string {
  return `
[general]
context = ${context}
udpbindaddr = 127.0.0.1:${ports.chanSip}
allowguest = yes
directmedia = no
disallow = all
allow = ulaw
dtmfmode = info
`;
}
