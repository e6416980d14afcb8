// Moves a source into a space: its lists first, then its contacts page by page, then what has changed meanwhile.
import { createHash } from 'node:crypto';
import { type MovedContact, type MovedResult, moveContactBatch } from '../data/move/contacts.ts';
import type { Outcome } from '../data/move/definitions.ts';
import {
  type BegunMove,
  beginMove,
  countSeenContacts,
  deleteGoneContacts,
  finishMove,
  listUnseenContacts,
} from '../data/move/run.ts';
import type { MoveRun } from '../data/move/source-ids.ts';
import { runAndRollBack, type Space } from '../database/space.ts';
import type { Fault } from '../problem.ts';
import { DefinitionMover } from './move-definitions.ts';
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
  /** By how many milliseconds the clock of the source is ahead of ours. */
  clockOffset?(): number;
  /** Ends the import between two pages. */
  signal?: AbortSignal;
  /** Called when the import has an id. */
  onBegin?(begun: BegunMove): void;
  /** Called after each page, with the contacts read so far and their number, if it is known. */
  onProgress?(read: number, total: number | undefined): void;
  /** Called when the tables have grown tenfold: query plans for few rows are slow for many. */
  onGrowth?(): Promise<void>;
}

/** Full readings of the contacts: pages of a source that deletes contacts meanwhile shift, and a contact may slip through. */
const maxReadings = 3;
/** Rows of one reading come far above those of the one before. */
const rowsOfReading = 2 ** 42;
/** Changes from this long before the beginning of the import are read again, since clocks differ. */
const clockMargin = 60_000;
/** Created contacts before the first call of `onGrowth`. Each later call needs ten times as many. */
const firstGrowth = 500;
const idsAtOnce = 500;

/** Begins the import of a dry run, in a transaction that is rolled back. */
const beginDry = (tx: Space, { name }: Source): Promise<BegunMove> =>
  beginMove(tx, { name, fingerprint: Buffer.alloc(0), by: null, restart: true });

class ContactMover {
  readonly #space: Space;
  readonly #source: Source;
  readonly #options: MoveOptions;
  readonly #run: MoveRun;
  readonly #definitions: DefinitionMover;
  readonly #report: MoveReport;
  #created = 0;
  #growth = firstGrowth;
  /** Whether it reads contacts again: then only those that have changed count. */
  rereads = false;

  constructor(
    space: Space,
    source: Source,
    { run, options, report }: { run: MoveRun; options: MoveOptions; report: MoveReport },
    definitions: DefinitionMover,
  ) {
    this.#space = space;
    this.#source = source;
    this.#options = options;
    this.#run = run;
    this.#report = report;
    this.#definitions = definitions;
  }

  /** Writes one page. Returns the number of its records. */
  async writePage({ contacts, unreadable = [], firstRow }: ContactPage): Promise<number> {
    this.#options.signal?.throwIfAborted();
    const { dryRun, overwrite, onGrowth } = this.#options;
    for (const { record, faults } of unreadable) this.#report.reject('contacts', record, faults);
    const actions = [...new Set(contacts.flatMap(readActionIds))];
    let results: MovedResult[] | undefined;
    let moved: MovedContact[] = [];
    const records = new Map<number, unknown>();
    let refused = unreadable.length;
    const prepare = (): void => {
      const { translation } = this.#definitions;
      for (const record of contacts) {
        const result = readContact(record, translation);
        if ('faults' in result) {
          this.#report.reject('contacts', record, result.faults);
          refused++;
          continue;
        }
        // A page of a moving source may repeat a contact: the later one is newer.
        if (records.has(result.contact.sourceId))
          moved = moved.filter(({ sourceId }) => sourceId !== result.contact.sourceId);
        records.set(result.contact.sourceId, record);
        moved.push(result.contact);
        if (result.leftOut.length > 0) this.#report.leaveOut('contacts', record, result.leftOut);
      }
    };
    const write = async (space: Space, run: MoveRun): Promise<void> => {
      const { completeNotes } = this.#source;
      results = await moveContactBatch(space, run, moved, { firstRow, refused, overwrite, completeNotes });
    };
    // A dry run writes what the page needs in the transaction that it rolls back: contacts do not depend on each other.
    if (dryRun)
      await runAndRollBack(this.#space, async (tx) => {
        const run = { ...this.#run, id: (await beginDry(tx, this.#source)).id };
        await this.#definitions.write(tx, run, actions);
        prepare();
        await write(tx, run);
      });
    else {
      await this.#definitions.writeActions(this.#space, this.#run, actions);
      prepare();
      await write(this.#space, this.#run);
    }
    if (!results) return contacts.length;
    for (const [index, result] of results.entries()) {
      if ('outcome' in result) this.#count(result.outcome);
      else this.#rejectContact(records.get(moved[index]!.sourceId), result.problem);
    }
    this.#created += results.filter((result) => 'outcome' in result && result.outcome === 'created').length;
    if (this.#created >= this.#growth && !dryRun) {
      this.#growth = this.#created * 10;
      await onGrowth?.();
    }
    return contacts.length + unreadable.length;
  }

  #count(outcome: Outcome): void {
    if (!this.rereads || outcome === 'created' || outcome === 'updated') this.#report.count('contacts', outcome);
  }

  #rejectContact(record: unknown, { errors, message }: { errors?: Fault[] | undefined; message: string }): void {
    const faults = errors?.map((fault) => ({ ...fault, location: fault.location.replace(/^\./, '') }));
    this.#report.reject('contacts', record, faults ?? [{ location: 'contact', message }]);
  }
}

/** Reads all contacts of the source; again when it has more than were found, since its pages may have shifted. */
const readAll = async (
  space: Space,
  source: Source,
  mover: ContactMover,
  { begun, report, options, run }: { begun: BegunMove; report: MoveReport; options: MoveOptions; run: MoveRun },
): Promise<void> => {
  for (let reading = 0; reading < maxReadings; reading++) {
    const base = reading * rowsOfReading;
    const done = new Set([...begun.done].filter((row) => row > base && row <= base + 2 ** 40).map((row) => row - base));
    const total = await source.countContacts();
    let read = [...done].length;
    for await (const page of source.readContacts(done)) {
      read += await mover.writePage({ ...page, firstRow: page.firstRow + base });
      options.onProgress?.(read, total);
    }
    // A dry run remembers nothing.
    if (total === undefined || options.dryRun) return;
    const missing =
      total - (await countSeenContacts(space, source.name, { id: run.id, after: base, upTo: base + 2 ** 40 }));
    if (missing <= 0) return;
    mover.rereads = true;
    report.note(
      reading + 1 < maxReadings
        ? `${missing} contacts were not on any page, since the source has changed meanwhile: its pages are read again`
        : `${missing} contacts of the source were not found: run the command again`,
    );
  }
};

const removeGone = async (
  space: Space,
  source: Source,
  run: MoveRun,
  { report, options }: { report: MoveReport; options: MoveOptions },
): Promise<void> => {
  for await (const some of listUnseenContacts(space, source.name, run.id, idsAtOnce)) {
    const there = await source.findContacts(some.map(({ sourceId }) => sourceId));
    const gone = some.filter(({ sourceId }) => !there.has(sourceId));
    if (options.deleteGone)
      await deleteGoneContacts(
        space,
        gone.map(({ id }) => id),
        run.by,
      );
    for (const _ of gone) report.count('contacts', options.deleteGone ? 'deleted' : 'gone');
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
  const definitions = new DefinitionMover(source, report);
  // A source that cannot be read leaves no trace.
  await definitions.read();
  const begun = dryRun
    ? await runAndRollBack(space, (tx) => beginDry(tx, source))
    : await beginMove(space, { name: source.name, fingerprint, by, restart });
  options.onBegin?.(begun);
  const run: MoveRun = { id: begun.id, source: source.name, by };
  if (dryRun)
    await runAndRollBack(space, async (tx) => {
      const { id } = await beginDry(tx, source);
      await definitions.write(tx, { ...run, id }, []);
    });
  else await definitions.write(space, run, []);
  definitions.endCounting();
  const mover = new ContactMover(space, source, { run, options, report }, definitions);
  await readAll(space, source, mover, { begun, report, options, run });
  if (source.readChanged && !dryRun) {
    const since = Date.parse(begun.createdAt) + (options.clockOffset?.() ?? 0) - clockMargin;
    // Pages of changes are read whole again: which contacts are on them depends on when they are read.
    mover.rereads = true;
    for await (const page of source.readChanged(new Date(since).toISOString()))
      await mover.writePage({ ...page, firstRow: -(page.firstRow + Date.now() * 1000) });
  }
  if (!dryRun) {
    await removeGone(space, source, run, { report, options });
    await finishMove(space, begun.id, by);
  }
  return begun;
};
