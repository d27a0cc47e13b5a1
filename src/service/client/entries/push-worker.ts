// A service worker, served at /push-worker.js: shows push messages, also while no page is open. It imports nothing, since Firefox takes no
// modules as service workers.

interface PushEvent extends Event {
  readonly data: { json(): { title: string; body: string; url: string } } | null;
  readonly notification: Notification;
  waitUntil(work: Promise<unknown>): void;
}

const worker = self as unknown as {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { openWindow(url: string): Promise<unknown> };
};

addEventListener('push', (event) => {
  const { data, waitUntil } = event as PushEvent;
  if (data === null) return;
  const { title, body, url } = data.json();
  waitUntil.call(event, worker.registration.showNotification(title, { body, data: url }));
});

addEventListener('notificationclick', (event) => {
  const { notification, waitUntil } = event as PushEvent;
  notification.close();
  waitUntil.call(event, worker.clients.openWindow(String(notification.data)));
});
