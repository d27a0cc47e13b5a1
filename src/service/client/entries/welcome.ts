import { chooseOwnPlace } from '../choose-own-place.ts';

chooseOwnPlace();
