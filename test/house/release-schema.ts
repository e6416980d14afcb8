// npm run release:schema: keeps the SDL of this version, for comparisons until the next release.
import { readFileSync, writeFileSync } from 'node:fs';
import { formatReleaseHead, releasedPath } from './schema-changes.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
writeFileSync(releasedPath, `${formatReleaseHead(version)}\n${readFileSync('schema/schema.graphql', 'utf8')}`);
console.log(`${releasedPath} is the graph of ${version}`);
