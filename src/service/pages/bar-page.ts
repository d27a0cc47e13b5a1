import { z } from 'zod';
import { limits } from '../../api/contract/decisions.ts';
import type { ServiceContext } from '../http/context.ts';
import { MISSED_MS } from '../routes/events.ts';
import { html } from './kit/html.ts';
import type { Pages } from './kit/page-request.ts';

const ids = z.array(z.string().max(limits.referenceLength)).max(500);

/** The notification bar as its own page, and the dismissal of missed calls. */
export function barPage(pages: Pages, { store, screens }: ServiceContext): void {
  pages.get('/bar', 'agent', () => ({
    title: 'Calls',
    barAlone: true,
    body: html`<h1 class="unseen">Calls</h1>`,
  }));
  pages.post('/bar/dismiss', 'agent', async ({ form, user, now }) => {
    const calls = ids.parse(form.getAll('call'));
    await store.users.dismiss(user.id, calls, now + MISSED_MS, now);
    screens.dismissed(user.account, user.id, calls);
    return 'done' as const;
  });
}
