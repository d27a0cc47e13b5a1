import { showCallsNow } from '../calls-now.ts';
import { sendForms } from '../send-forms.ts';

showCallsNow();
sendForms();
