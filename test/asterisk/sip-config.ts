import { receptionNumber, receptionPhone } from './office-numbers.ts';
import { mobilePort, type Office, offices, phonePort, phonesPerOffice } from './offices.ts';
import type { PortBlock } from './ports.ts';

/** Phones, and one trunk for all offices. */
export function pjsipConf(ports: PortBlock): string {
  const phones = offices.flatMap((office) =>
    Array.from({ length: phonesPerOffice }, (_, i) => {
      const extension = office.extension(i + 1);
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
${registered ? `contact = sip:${extension}@127.0.0.1:${phonePort(ports, office, i + 1)}` : '; nobody is registered here'}
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
[trunk]
type = endpoint
context = from-trunk
disallow = all
allow = ulaw
direct_media = no
dtmf_mode = info
media_address = 127.0.0.1
trust_id_inbound = yes
aors = trunk
[trunk]
type = aor
contact = sip:127.0.0.1:${mobilePort(ports, offices[0] as Office)}
; Callers and phones share 127.0.0.1: this header tells them apart.
[trunk]
type = identify
endpoint = trunk
match_header = X-Trunk: yes
${phones.join('')}`;
}

/** Everybody may call in over chan_sip: it is a second trunk. */
export function chanSipConf(ports: PortBlock): string {
  return `
[general]
context = from-trunk
udpbindaddr = 127.0.0.1:${ports.chanSip}
allowguest = yes
directmedia = no
disallow = all
allow = ulaw
dtmfmode = info
`;
}
