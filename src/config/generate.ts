import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated.ts';

// Writes every file that is made from the code's tables. Run it (`npm run generate`) after changing one of them.
for (const [path, text] of Object.entries(generatedFiles())) writeFileSync(path, text);
