import { showCallsNow } from '../calls-now.ts';
import { renewPush } from '../push-here.ts';
import { sendForms } from '../send-forms.ts';

showCallsNow();
sendForms();
void renewPush(document.getElementById('now'));
