/** Where the service serves the worker that shows push messages: at the top, so that it is in charge of all pages. */
const WORKER = '/push-worker.js';
/** Whose subscription this browser has, and for which session the service knows it. */
const [USER, TOKEN] = ['push-user', 'push-token'];

/** Browsers offer push messages only with https or on localhost. */
const isOffered = () =>
  'serviceWorker' in navigator && 'PushManager' in window && typeof Notification !== 'undefined';

type Who = { readonly uid: string; readonly token: string };

/** Tells the service where messages for this browser go. Gives the status of its answer; undefined if there was none. */
async function tell(
  subscription: PushSubscription,
  { uid, token }: Who,
  also: Record<string, string>,
): Promise<number | undefined> {
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const body = new URLSearchParams({
    endpoint,
    publicKey: keys.p256dh ?? '',
    auth: keys.auth ?? '',
    token,
    ...also,
  });
  const answer = await fetch('/notifications/device', { method: 'POST', body }).catch(() => undefined);
  if (answer?.status === 204) {
    localStorage.setItem(USER, uid);
    localStorage.setItem(TOKEN, token);
  }
  return answer?.status;
}

const known = async () => (await navigator.serviceWorker.getRegistration('/'))?.pushManager.getSubscription();

/**
 * A browser that gets push messages still gets them when its session ended by itself and its user has signed in again. Signing out or
 * somebody else who signs in ends that.
 */
export async function renewPush(root: HTMLElement | null): Promise<void> {
  const { uid = '', token = '' } = root?.dataset ?? {};
  const user = localStorage.getItem(USER);
  if (user === null || !isOffered() || localStorage.getItem(TOKEN) === token) return;
  const subscription = await known();
  const isOurs = subscription !== undefined && subscription !== null && user === uid;
  const status = isOurs ? await tell(subscription, { uid, token }, { renewed: '' }) : 404;
  if (status !== 404) return;
  await subscription?.unsubscribe();
  localStorage.removeItem(USER);
}

/** The button that subscribes this browser, or why there is none. */
export function offerPush(root: HTMLElement | null): void {
  const button = root?.querySelector('button');
  if (!root || !button) return;
  const say = (when: string) => root.querySelector(`[data-when="${when}"]`)?.removeAttribute('hidden');
  if (!isOffered()) say('not-offered');
  else if (Notification.permission === 'denied') say('blocked');
  else {
    button.hidden = false;
    button.addEventListener('click', () => void subscribe(root, say));
  }
}

async function subscribe(root: HTMLElement, say: (when: string) => void): Promise<void> {
  const { uid = '', token = '', key = '' } = root.dataset;
  if ((await Notification.requestPermission()) !== 'granted') return say('blocked');
  try {
    const { pushManager } = await navigator.serviceWorker.register(WORKER);
    await navigator.serviceWorker.ready;
    // One for an earlier key of the service cannot be used.
    await (await pushManager.getSubscription())?.unsubscribe();
    const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    if ((await tell(subscription, { uid, token }, {})) === 204) return location.assign('/notifications?done');
  } catch {
    // The browser's push service cannot be reached, or the browser has none.
  }
  say('not-offered');
}
