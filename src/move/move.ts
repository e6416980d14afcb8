// Moves a source into a space: its lists first, then its contacts page by page, then what has changed meanwhile.
import { createHash } from 'node:crypto';
import type { Unfollowed } from '../data/contact/keep-consent.ts';
import { deleteContact } from '../data/contact/write.ts';
import { finishAuditedImport } from '../data/import/contacts.ts';
import { type MovedContact, moveContactBatch } from '../data/move/contacts.ts';
import { type BegunMove, beginMove, countSeenContacts, listUnseenContacts, moveOperation } from '../data/move/run.ts';
import type { MoveRun } from '../data/move/source-ids.ts';
import { runAndRollBack, type Space } from '../database/space.ts';
import { watchGrowth } from '../import/run.ts';
import type { Fault } from '../problem.ts';
import { type Definitions, readDefinitions } from './move-definitions.ts';
import type { MoveReport } from './move-report.ts';
import { readActionIds, readContact } from './read-contact.ts';
import type { ContactPage, Source } from './source.ts';

interface MoveOptions {
  by: number | null;
  dryRun: boolean;
  /** Begins a new import, also where one of the same source was interrupted. */
  restart: boolean;
  /** Whether what the source says replaces what somebody has changed here. */
  overwrite: boolean;
  /** Whether to delete contacts here that the source has deleted. */
  deleteGone: boolean;
  /** Ends the import between two pages. */
  signal?: AbortSignal;
  /** Called when the import has an id. */
  onBegin?(begun: BegunMove): void;
  /** Called after each page, with the contacts read so far and their number, if it is known. */
  onProgress?(read: number, total: number | undefined): void;
  /** Called when the tables have grown tenfold. */
  onGrowth?(): Promise<void>;
}

/** Whole readings of the contacts: when a source deletes contacts, its pages shift, and a contact may be on none of them. */
const maxReadings = 5;
/** Rows of one reading come far above those of the one before. */
const rowsOfReading = 2 ** 42;
const mostRows = 2 ** 40;
/** Changes from this long before the beginning of the import are read again, since clocks differ. */
const clockMargin = 60_000;
const idsAtOnce = 500;

/** Begins the import of a dry run, in a transaction that is rolled back. */
const beginDry = (tx: Space, { name }: Source): Promise<BegunMove> =>
  beginMove(tx, { name, fingerprint: Buffer.alloc(0), by: null, restart: true });

/** Does work in the space; for a dry run in a transaction that is rolled back, as an import of its own. */
type Within = <Result>(work: (within: Space, run: MoveRun) => Promise<Result>) => Promise<Result>;

const unfollowedRemarks: Record<Unfollowed, Fault> = {
  black_list: {
    location: 'black_list',
    message: 'stays true: whoever opted out here is opted in by a user here alone',
  },
  consents: { location: 'consents', message: 'stay as they were answered here, later than in the source' },
};

interface Move {
  begun: BegunMove;
  report: MoveReport;
  options: MoveOptions;
  run: MoveRun;
}

/** Creates the writer of pages of contacts. `since` divides the contacts that the source had before the move from later ones, in milliseconds. */
const createContactMover = (
  workWithin: Within,
  { completeNotes }: Source,
  { options, report, since }: Pick<Move, 'options' | 'report'> & { since: number },
  definitions: Definitions,
) => {
  const { dryRun, overwrite, signal, onGrowth } = options;
  const countCreated = watchGrowth(dryRun ? undefined : onGrowth);
  /** Contacts that are found for the first time, and whether contacts are read again: then only those that have changed count. */
  const state = { found: { before: 0, since: 0 }, rereads: false };
  /** The ids that a dry run has read, which the database does not remember. */
  const readDry = new Set<number>();

  /** Writes one page. Returns the number of its records. */
  const writePage = async ({ contacts, unreadable = [], firstRow }: ContactPage): Promise<number> => {
    signal?.throwIfAborted();
    for (const { record, faults } of unreadable) report.reject('contacts', record, faults);
    const actions = [...new Set(contacts.flatMap(readActionIds))];
    let moved: MovedContact[] = [];
    const records = new Map<number, unknown>();
    const results = await workWithin(async (within, run) => {
      // A dry run writes what the page needs in the transaction that it rolls back: contacts do not depend on each other.
      await (dryRun ? definitions.write : definitions.writeActions)(within, run, actions);
      const translation = definitions.getTranslation();
      let refused = unreadable.length;
      for (const record of contacts) {
        const result = readContact(record, translation);
        if ('faults' in result) {
          report.reject('contacts', record, result.faults);
          refused++;
          continue;
        }
        // A page of a moving source may repeat a contact: the later one is newer.
        if (records.has(result.contact.sourceId))
          moved = moved.filter(({ sourceId }) => sourceId !== result.contact.sourceId);
        records.set(result.contact.sourceId, record);
        moved.push(result.contact);
        if (result.leftOut.length > 0) report.leaveOut('contacts', record, result.leftOut);
      }
      return moveContactBatch(within, run, moved, { firstRow, refused, overwrite, completeNotes });
    });
    if (dryRun) for (const { sourceId } of moved) readDry.add(sourceId);
    if (!results) return contacts.length;
    for (const [index, result] of results.entries()) {
      if ('outcome' in result) {
        const { outcome, isFirst, unfollowed } = result;
        const remarks = unfollowed.map((one) => unfollowedRemarks[one]);
        if (remarks.length > 0) report.leaveOut('contacts', records.get(moved[index]!.sourceId), remarks);
        if (!state.rereads || outcome === 'created' || outcome === 'updated') report.count('contacts', outcome);
        const createdAt = Date.parse(moved[index]!.times.created_at ?? '');
        if (createdAt >= since) state.found.since++;
        else if (isFirst) state.found.before++;
      } else {
        const { errors, message } = result.problem;
        const faults = errors?.map((fault) => ({ ...fault, location: fault.location.replace(/^\./, '') }));
        report.reject('contacts', records.get(moved[index]!.sourceId), faults ?? [{ location: 'contact', message }]);
      }
    }
    await countCreated(results.filter((result) => 'outcome' in result && result.outcome === 'created').length);
    return contacts.length + unreadable.length;
  };
  return { state, since, readDry, writePage };
};
type ContactMover = ReturnType<typeof createContactMover>;

/**
 * Reads all contacts of the source, and what has changed meanwhile. A contact may slip through when another one is deleted: so it reads again until
 * the source has surely deleted nothing, or until a whole reading finds no contact that an earlier one should have found.
 */
const readAll = async (
  space: Space,
  source: Source,
  mover: ContactMover,
  { begun, report, options, run }: Move,
): Promise<void> => {
  for (let reading = 0; reading < maxReadings; reading++) {
    const base = reading * rowsOfReading;
    const known = { ...mover.state.found };
    const total = await source.countContacts?.();
    // Pages that are written are skipped, if the import was interrupted in this reading.
    const done = [...begun.done].filter((row) => row > base && row <= base + mostRows).map((row) => row - base);
    const rows = { id: run.id, after: base, upTo: base + mostRows };
    let read = done.length > 0 ? await countSeenContacts(space, source.name, rows) : 0;
    for await (const page of source.readContacts(new Set(done))) {
      read += await mover.writePage({ ...page, firstRow: page.firstRow + base });
      options.onProgress?.(read, total);
    }
    // A folder does not change, and a dry run remembers nothing.
    if (!source.readChanged || options.dryRun) return;
    const foundOnPages = mover.state.found.before;
    const totalAfter = await source.countContacts?.();
    // Pages of changes are read whole again: which contacts are on them depends on when they are read.
    mover.state.rereads = true;
    for await (const page of source.readChanged(new Date(mover.since).toISOString()))
      await mover.writePage({ ...page, firstRow: -(page.firstRow + Date.now() * 1000) });
    const seen = await countSeenContacts(space, source.name, rows);
    const missing = Math.max((totalAfter ?? 0) - seen, 0);
    const isUndisturbed =
      total !== undefined &&
      total === totalAfter &&
      mover.state.found.since === known.since &&
      mover.state.found.before === foundOnPages &&
      !begun.continued;
    const foundNothing = reading > 0 && done.length === 0 && mover.state.found.before === known.before;
    if (missing === 0 && (isUndisturbed || foundNothing)) return;
    if (reading + 1 < maxReadings)
      report.note(
        missing > 0
          ? `${missing} contacts were not on any page, since the source has changed meanwhile: its pages are read again`
          : 'The source may have deleted contacts while it was read: its pages are read again, since others may have slipped through',
      );
    else {
      report.mayMiss = true;
      report.note(
        missing > 0
          ? `${missing} contacts of the source were not found: run the command again`
          : `The source changed in each of ${maxReadings} readings: contacts may be missing. Run the command again`,
      );
    }
  }
};

const removeGone = async (
  space: Space,
  source: Source,
  { readDry }: ContactMover,
  { report, options: { deleteGone, dryRun }, run }: Omit<Move, 'begun'>,
): Promise<void> => {
  for await (const some of listUnseenContacts(space, source.name, { id: run.id, read: readDry, limit: idsAtOnce })) {
    const there = await source.findContacts(some.map(({ sourceId }) => sourceId));
    const gone = some.filter(({ sourceId }) => !there.has(sourceId));
    if (deleteGone && !dryRun) for (const { id } of gone) await deleteContact(space, id, run.by);
    for (const _ of gone) report.count('contacts', deleteGone ? 'deleted' : 'gone');
  }
};

/**
 * Moves all of a source, and returns the report. It can be interrupted at any moment and run again: what is written stays, and nothing is
 * written twice. Every record here remembers which one of the source it is, so that a later run updates it.
 */
export const moveSource = async (
  space: Space,
  source: Source,
  report: MoveReport,
  options: MoveOptions,
): Promise<BegunMove> => {
  const { by, dryRun, restart } = options;
  const fingerprint = createHash('sha256').update(JSON.stringify(source.fingerprint)).digest();
  // A source that cannot be read leaves no trace.
  const definitions = await readDefinitions(source, report);
  const begun = dryRun
    ? await runAndRollBack(space, (tx) => beginDry(tx, source))
    : await beginMove(space, { name: source.name, fingerprint, by, restart });
  options.onBegin?.(begun);
  const run: MoveRun = { id: begun.id, source: source.name, by };
  const workWithin: Within = (work) =>
    dryRun
      ? runAndRollBack(space, async (tx) => work(tx, { ...run, id: (await beginDry(tx, source)).id }))
      : work(space, run);
  await workWithin((within, own) => definitions.write(within, own, []));
  definitions.endCounting();
  const since = Date.parse(begun.createdAt) + (source.clockOffset ?? 0) - clockMargin;
  const mover = createContactMover(workWithin, source, { options, report, since }, definitions);
  await readAll(space, source, mover, { begun, report, options, run });
  await removeGone(space, source, mover, { report, options, run });
  if (!dryRun) await finishAuditedImport(space, begun.id, by, moveOperation);
  return begun;
};
