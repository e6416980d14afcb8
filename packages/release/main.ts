// The command line of a release.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { makeRelease, stageServer } from './release.ts';

const { out, stage } = new Command('release')
  .description(
    'Makes the files of a release: the server and the TypeScript client as packages, a bill of materials (CycloneDX), the part of the changelog, and the SHA-256 sums of all. ' +
      'The same commit gives the same bytes, and no network is needed after npm ci.',
  )
  .option('--out <folder>', 'where they are written; the folder is emptied before', 'release')
  .option('--stage <folder>', 'only put the files of the server into a new folder, as the image has them')
  .parse()
  .opts<{ out: string; stage?: string }>();

if (stage) stageServer(resolve(stage));
else {
  makeRelease(resolve(out));
  process.stdout.write(readFileSync(join(out, 'SHA256SUMS'), 'utf8'));
}
