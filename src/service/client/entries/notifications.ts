import { offerPush } from '../push-here.ts';

offerPush(document.getElementById('push'));
