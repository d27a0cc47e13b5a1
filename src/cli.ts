#!/usr/bin/env node
import './shared/process/require-node.ts';
import './shared/process/early-hangup.ts';

// Loaded after them: it takes half a second.
await import('./cli/program.ts');
