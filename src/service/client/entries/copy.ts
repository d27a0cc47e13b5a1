import { enableCopyButtons } from '../enable-copy-buttons.ts';

enableCopyButtons();
