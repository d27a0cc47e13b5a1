import { followRequests } from '../follow-requests.ts';
import { keepLive } from '../keep-live.ts';

keepLive();
followRequests();
