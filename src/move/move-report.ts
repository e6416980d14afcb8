// Counts what an import does, by kind of record, and passes on what it rejects or leaves out.
import type { Outcome } from '../data/move/definitions.ts';
import type { Fault } from '../problem.ts';

const movedKinds = [
  'forms',
  'options',
  'actions',
  'price groups',
  'membership prices',
  'donation prices',
  'transaction statuses',
  'teams',
  'contacts',
] as const;
export type ReportKind = (typeof movedKinds)[number];
/** The fate of a record. Gone: the source has deleted it, and it is kept here. */
export type Fate = Outcome | 'deleted' | 'gone' | 'rejected';

/** A record that was rejected, or written without a part. */
export interface Remark {
  kind: ReportKind;
  id: unknown;
  written: boolean;
  faults: readonly Fault[];
  record: unknown;
}

export class MoveReport {
  readonly #counts = new Map<ReportKind, Map<Fate, number>>();
  readonly #onRemark: (remark: Remark) => void;
  /** Reports something that concerns no single record. */
  readonly note: (text: string) => void;
  /** Records that were written without a part. */
  incomplete = 0;
  /** Whether contacts of the source may be missing, since it changed while it was read. */
  mayMiss = false;

  constructor({ onRemark, note }: { onRemark: (remark: Remark) => void; note: (text: string) => void }) {
    this.#onRemark = onRemark;
    this.note = note;
  }

  count(kind: ReportKind, fate: Fate): void {
    const counts = this.#counts.get(kind) ?? new Map<Fate, number>();
    this.#counts.set(kind, counts.set(fate, (counts.get(fate) ?? 0) + 1));
  }

  reject(kind: ReportKind, record: unknown, faults: readonly Fault[]): void {
    this.count(kind, 'rejected');
    this.#onRemark({ kind, id: getId(record), written: false, faults, record });
  }

  leaveOut(kind: ReportKind, record: unknown, faults: readonly Fault[]): void {
    this.incomplete++;
    this.#onRemark({ kind, id: getId(record), written: true, faults, record });
  }

  /** The counts of each kind that the source has, in the order in which they are moved. */
  listCounts(): { kind: ReportKind; counts: ReadonlyMap<Fate, number> }[] {
    return movedKinds.flatMap((kind) => {
      const counts = this.#counts.get(kind);
      return counts ? [{ kind, counts }] : [];
    });
  }

  get rejected(): number {
    return [...this.#counts.values()].reduce((sum, counts) => sum + (counts.get('rejected') ?? 0), 0);
  }
}

const getId = (record: unknown): unknown => (record as { id?: unknown } | null | undefined)?.id;
