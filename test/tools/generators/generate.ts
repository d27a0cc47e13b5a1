import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated.ts';

// Writes the files generated from the code. Run it (`npm run generate`) after changing settings, messages or metrics.
for (const [path, text] of Object.entries(generatedFiles())) writeFileSync(path, text);
