import type { CallStatus } from '../../../api/contract/call-event.ts';
import type { RecordedRequest } from '../request-store.ts';

/** A request as plain values: between threads, an object costs three times as much. */
export type PackedRequest = [
  account: number,
  integration: number,
  at: number,
  began: number,
  method: string,
  path: string,
  request: string | Uint8Array,
  status: number,
  response: string | null,
  callId: string | null,
  eventStatus: CallStatus | null,
  from: string,
  country: string | null,
  callerId: string | null,
  watched: boolean,
];

export function pack(request: RecordedRequest): PackedRequest {
  const { event } = request;
  return [
    request.account,
    request.integration,
    request.at,
    request.began,
    request.method,
    request.path,
    request.request,
    request.status,
    request.response,
    event?.id ?? request.callId,
    event?.status ?? null,
    event?.from ?? '',
    event?.country ?? null,
    event?.callerId ?? null,
    request.watched,
  ];
}

export function unpack(packed: PackedRequest): RecordedRequest {
  const [account, integration, at, began, method, path, request, status, response, callId, ...rest] = packed;
  const [eventStatus, from, country, callerId, watched] = rest;
  const event =
    eventStatus === null ? null : { id: callId as string, status: eventStatus, from, country, callerId };
  return { account, integration, at, began, method, path, request, status, response, callId, event, watched };
}
