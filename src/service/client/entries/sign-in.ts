import { signInByLink } from '../sign-in-by-link.ts';

signInByLink();
