#!/usr/bin/env node
import './process/require-node.ts';
import './process/early-hangup.ts';

// Loaded after them: it takes half a second.
await import('./program.ts');
