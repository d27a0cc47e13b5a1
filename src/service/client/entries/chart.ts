import { showBarValues } from '../show-bar-values.ts';

showBarValues();
