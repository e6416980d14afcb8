// The contents of the guide: which Markdown files are its pages, in which order, under which titles. A page of docs/ that is in no part fails a test.

export interface Entry {
  /** From the root of the repository. */
  file: string;
  /** In the navigation. The page has its own heading. */
  title: string;
  /** One sentence on the page, for the first page. */
  says: string;
}

export interface Part {
  title: string;
  entries: readonly Entry[];
}

const describeEntry = (file: string, title: string, says: string): Entry => ({ file, title, says });

/** Files that do not exist are left out, so that a page may come after its entry. */
export const parts: readonly Part[] = [
  {
    title: 'Begin',
    entries: [
      describeEntry('docs/getting-started.md', 'Getting started', 'Five minutes from nothing to the first segment.'),
      describeEntry('docs/setup.md', 'Your own database', 'From an empty PostgreSQL to the first colleague.'),
      describeEntry('docs/why-muster.md', 'Why Muster', 'And when to choose CiviCRM, Directus, Hasura or Twenty.'),
      describeEntry('docs/moving.md', 'Moving to Muster', 'Bring the people of another system.'),
    ],
  },
  {
    title: 'Work with people',
    entries: [
      describeEntry('docs/search.md', 'Searching', 'Every attribute and every operator.'),
      describeEntry('docs/explore.md', 'Exploring', 'The segment builder in the browser.'),
      describeEntry('docs/segments.md', 'Segments', 'Saved searches with counts.'),
      describeEntry('docs/importing.md', 'Importing and exporting', 'Spreadsheets and records, in and out.'),
      describeEntry('docs/headings.md', 'Headings of lists', 'Which columns an import recognizes.'),
      describeEntry('docs/record-columns.md', 'Columns of record files', 'What each column means.'),
    ],
  },
  {
    title: 'Build on it',
    entries: [
      describeEntry('docs/graphql.md', 'GraphQL', 'From the first request to a small page.'),
      describeEntry('docs/rest.md', 'REST', 'The routes, and how to make a client.'),
      describeEntry('docs/parity.md', 'GraphQL and REST compared', 'What each of both can do.'),
      describeEntry('docs/typescript.md', 'TypeScript', 'A client that the compiler checks.'),
      describeEntry('docs/events.md', 'Events', 'Learn of changes as they happen.'),
      describeEntry('docs/errors.md', 'Errors', 'What each code means, and what to do.'),
      describeEntry('docs/limits.md', 'Limits', 'How much, how many, how long.'),
    ],
  },
  {
    title: 'Who may do what',
    entries: [
      describeEntry('docs/permissions.md', 'Permissions', 'Roles, scopes, operations.'),
      describeEntry('docs/sign-in.md', 'Sign-in', 'People sign in by OpenID Connect.'),
      describeEntry('docs/privacy.md', 'Privacy', 'Audit, requests of persons, retention.'),
      describeEntry('SECURITY.md', 'Security', 'Threats, guards and the tests of both.'),
    ],
  },
  {
    title: 'Operate it',
    entries: [
      describeEntry('docs/operations.md', 'Operating', 'Backups, proxies, workers, replicas.'),
      describeEntry('docs/scaling.md', 'Scaling', 'From one process to many servers; Citus.'),
      describeEntry('docs/deploying.md', 'Deploying', 'Images, Compose, systemd, Kubernetes.'),
      describeEntry('docs/monitoring.md', 'Monitoring', 'Metrics, traces and alerts.'),
      describeEntry('docs/metrics.md', 'Metrics', 'Every metric, its labels and its meaning.'),
      describeEntry('docs/upgrading.md', 'Upgrading', 'What an upgrade does, and what versions promise.'),
      describeEntry('docs/settings.md', 'Settings', 'Every setting with its default.'),
      describeEntry('docs/reliability.md', 'Reliability', 'Attacks, overload and faults that were tried.'),
      describeEntry('docs/benchmarks.md', 'Benchmarks', 'What was measured, and how.'),
    ],
  },
  {
    title: 'Know it',
    entries: [
      describeEntry('ARCHITECTURE.md', 'Architecture', 'The life of a request, and where things are.'),
      describeEntry('docs/design/request.md', 'How a request works', 'Admission, the gate, prices, execution, JSON.'),
      describeEntry('docs/design/search.md', 'How searches work', 'Search rows, pages, quick search, exports, lists.'),
      describeEntry('docs/design/writes.md', 'How writes work', 'Comparing, locks, versions, imports, erasure.'),
      describeEntry('docs/design/events.md', 'How events work', 'The outbox, jobs, webhooks, watched segments.'),
      describeEntry('docs/design/scale.md', 'How servers work together', 'Workers, replicas, Citus, backups.'),
      describeEntry('docs/decisions.md', 'Decisions', 'Why it is as it is.'),
      describeEntry('CONTRIBUTING.md', 'Contributing', 'Change it, and prove that it works.'),
      describeEntry('CHANGELOG.md', 'Changelog', 'What each version changed.'),
    ],
  },
];

/** Stands below the title of a page that is derived from the code. */
export const derivedNote = 'Written by `npm run codegen`: change its source instead.';

/** An entry of the search: a section of a page. */
export type Found = Record<'id' | 'page' | 'heading' | 'body', string>;

export const guidePath = '/docs/guide';
/** All pages as one Markdown text, for programs that read rather than browse. */
export const wholeGuidePath = `${guidePath}/muster.md`;
/** The list of texts that language models can read (llmstxt.org). */
export const modelIndexPath = '/llms.txt';
export const schemaPath = '/graphql/schema.graphql';

/** Folders whose files are pages below a page that lists them. */
export const listedFolders = { 'docs/errors/': 'docs/errors.md', 'docs/decisions/': 'docs/decisions.md' } as const;

export const entryFiles: readonly string[] = parts.flatMap(({ entries }) => entries.map(({ file }) => file));

/** The page that lists this file; undefined for a page of the parts. */
export const findListingPage = (file: string): string | undefined =>
  Object.entries(listedFolders).find(([folder]) => file.startsWith(folder))?.[1];

export const isGuideFile = (file: string): boolean =>
  file.endsWith('.md') && (entryFiles.includes(file) || findListingPage(file) !== undefined);

/** The address of a page on the server: `docs/errors/conflict.md` is at `/docs/guide/errors/conflict`. */
export const locatePage = (file: string): string =>
  `${guidePath}/${file
    .replace(/^docs\//, '')
    .replace(/^[A-Z]+(?=\.md$)/, (name) => name.toLowerCase())
    .replace(/\.md$/, '')}`;
