// Runs muster move-in: opens the source, follows the import with a progress bar, and prints what has come over.
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { readConfig } from '../config/config.ts';
import { readImport } from '../data/import/contacts.ts';
import { tablesOfContacts } from '../data/import/record-types.ts';
import type { BegunMove } from '../data/move/run.ts';
import type { DayOrder } from '../import/days.ts';
import type { EncodingName } from '../import/encoding.ts';
import type { Fate, MoveReport, Remark } from '../move/move-report.ts';
import type { Source } from '../move/source.ts';
import { workInSpace } from './database-url.ts';
import { explainCommandError } from './error-message.ts';
import { createFaultCounter, createFaultPrinter } from './import-report.ts';
import { createLineWriter, openNewFile } from './private-file.ts';
import { printNotice, showProgress } from './progress-bar.ts';
import { runAbortable, StoppedBySignal } from './stopped.ts';
import { formatCount } from './table.ts';

export interface MoveCommandOptions {
  space: number;
  user?: number;
  from?: URL;
  tokenFile?: string;
  token?: string;
  plainHttp?: true;
  page: number;
  interactions: boolean;
  details?: true;
  overwrite?: true;
  delete?: true;
  restart?: true;
  dryRun?: true;
  rejects?: string;
  encoding: EncodingName;
  days: DayOrder;
  map?: Record<string, string>;
}

/** Tables that grow with contacts here, and not in an import of a file. */
const tablesOfMoves = ['moved_records', 'notes', 'interactions'];

const readToken = ({ token, tokenFile }: MoveCommandOptions): string => {
  if (token !== undefined)
    printNotice('The token of --token is visible in the list of processes: --token-file and SOURCE_TOKEN are not.');
  const text = (tokenFile === undefined ? (token ?? readConfig().SOURCE_TOKEN) : readTokenFile(tokenFile))?.trim();
  if (!text)
    throw new Error('The token of the server is missing: name its file with --token-file, or set SOURCE_TOKEN');
  if (!/^[\x21-\x7e]+$/.test(text)) throw new Error('The token must be one word of ASCII: it has other characters');
  return text;
};

const readTokenFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`--token-file ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
};

const openSource = async (
  folder: string | undefined,
  options: MoveCommandOptions,
  signal: AbortSignal,
): Promise<Source> => {
  const { from, page, interactions, details = false, encoding, days, map } = options;
  if (folder !== undefined) {
    const { createFolderSource } = await import('../move/folder-source.ts');
    return createFolderSource(folder, { page, encoding, days, map }, printNotice);
  }
  const [{ SourceClient }, { createRestSource }] = await Promise.all([
    import('../move/http-client.ts'),
    import('../move/rest-source.ts'),
  ]);
  const address = from!.href.replace(/\/$/, '');
  const client = new SourceClient({ address, token: readToken(options), note: printNotice, signal });
  return createRestSource(address, client, { page, interactions, details });
};

const openRemarks = async (path: string | undefined) => {
  const file = path === undefined ? undefined : createLineWriter(path, await openNewFile(path));
  const counter = createFaultCounter();
  const print = createFaultPrinter('--rejects', path);
  let isEmpty = true;
  return {
    add({ kind, id, written, faults, record }: Remark): void {
      file?.write({ kind, id, written, faults, record });
      if (faults.length > 0) isEmpty = false;
      faults.forEach(counter.add);
      print(`${kind} ${id ?? 'without an id'}${written ? '' : ' rejected'}`, faults);
    },
    async end(): Promise<void> {
      counter.print();
      await file?.end();
      if (file && isEmpty) await rm(path!, { force: true });
    },
  };
};

const fates: Record<Fate, string> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'unchanged',
  kept: 'kept, since they were changed or deleted here',
  deleted: 'deleted, since the source has deleted them',
  gone: 'kept here, though the source has deleted them (--delete deletes them)',
  rejected: 'rejected',
};

const printReport = (report: MoveReport): void => {
  for (const { kind, counts } of report.listCounts()) {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const parts = (Object.keys(fates) as Fate[]).flatMap((fate) => {
      const count = counts.get(fate);
      return count ? [`${formatCount(count)} ${fates[fate]}`] : [];
    });
    console.log(`${kind}: ${formatCount(all)} read, ${parts.join(', ')}`);
  }
  if (report.incomplete > 0) console.log(`${formatCount(report.incomplete)} records were written without a part`);
};

export const runMove = (folder: string | undefined, options: MoveCommandOptions): Promise<void> =>
  runAbortable(async (signal) => {
    const { space: id, user, dryRun = false, overwrite = false, restart = false } = options;
    const source = await openSource(folder, options, signal);
    await workInSpace({ space: id, user }, async (space, database) => {
      const [{ moveSource }, { MoveReport }] = await Promise.all([
        import('../move/move.ts'),
        import('../move/move-report.ts'),
      ]);
      const remarks = await openRemarks(options.rejects);
      const report = new MoveReport({ onRemark: remarks.add, note: printNotice });
      const format = '{bar} {percentage}% | {value} contacts | {rate}/s | {eta_formatted} left';
      const started = performance.now();
      let begun: BegunMove | undefined;
      try {
        await showProgress(format, (bar) =>
          moveSource(space, source, report, {
            by: user ?? null,
            dryRun,
            restart,
            overwrite,
            deleteGone: options.delete ?? false,
            signal,
            onBegin: (one) => {
              begun = one;
              if (!dryRun) printNotice(one.continued ? `continuing import ${one.id}` : `import ${one.id} begins`);
              bar.start(1, 0, { rate: 0 });
            },
            onProgress: (read, total) => {
              const rate = formatCount(Math.round((read * 1000) / (performance.now() - started)));
              bar.setTotal(Math.max(total ?? read, read, 1));
              bar.update(read, { rate });
            },
            onGrowth: () => database.gatherStatistics([...tablesOfContacts, ...tablesOfMoves]),
          }),
        ).finally(remarks.end);
        printReport(report);
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        if (dryRun) console.log(`dry run, nothing was written: ${seconds} s`);
        else {
          const { id, created, updated, refused } = await readImport(space, begun!.id);
          console.log(
            `import ${id}: finished in ${seconds} s; in all its runs ${formatCount(created)} contacts created, ${formatCount(updated)} updated, ${formatCount(refused)} rejected`,
          );
        }
        if (report.rejected > 0 || report.mayMiss) process.exitCode = 1;
      } catch (error) {
        throw explainInterruption(signal.aborted ? signal.reason : error, dryRun ? undefined : begun);
      }
    });
  });

/** An error with what remains, and how to continue. */
const explainInterruption = (error: unknown, begun: BegunMove | undefined): unknown => {
  const advice = begun
    ? `Import ${begun.id} was interrupted. What it has written is kept. To continue, run the same command again.`
    : 'Nothing was written.';
  if (error instanceof StoppedBySignal) {
    printNotice(advice);
    return error;
  }
  return new Error(`${explainCommandError(error)}\n${advice}`, { cause: error });
};
