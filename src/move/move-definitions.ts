// Moves the lists of a source: forms with their options, actions, prices, statuses and teams. Contacts are translated by the ids that they get.

import { type DefinitionKind, type Outcome, writeDefinition, writeMovedTeam } from '../data/move/definitions.ts';
import { findMembersByMail } from '../data/move/run.ts';
import type { MoveRun } from '../data/move/source-ids.ts';
import type { Space } from '../database/space.ts';
import { createCacheKey } from '../limits/cache-key.ts';
import { Problem } from '../problem.ts';
import type { MoveReport, ReportKind } from './move-report.ts';
import type { Translation } from './read-contact.ts';
import {
  type ReadDefinition,
  readAction,
  readForm,
  readMail,
  readMembershipPrices,
  readOptions,
  readPrice,
  readPriceGroup,
  readTeam,
  readTransactionStatus,
} from './read-definitions.ts';
import { getItems, readId } from './read-value.ts';
import { type ListName, listNames, type Source, type SourceRecord } from './source.ts';

const listTitles: Record<ListName, string> = {
  forms: 'forms',
  priceGroups: 'membership price groups',
  donationPrices: 'donation prices',
  transactionStatuses: 'transaction statuses',
  users: 'users',
  teams: 'teams',
};

export class DefinitionMover {
  readonly #source: Source;
  readonly #report: MoveReport;
  readonly #lists = new Map<ListName, SourceRecord[]>();
  #counts = true;
  #forms = new Map<number, number>();
  #options = new Map<string, number>();
  #actions = new Map<number, number>();
  #users = new Map<number, number>();

  constructor(source: Source, report: MoveReport) {
    this.#source = source;
    this.#report = report;
  }

  get translation(): Translation {
    return { forms: this.#forms, options: this.#options, actions: this.#actions, users: this.#users };
  }

  /** Reads all lists. A list that the source does not have is noted, and empty. */
  async read(): Promise<void> {
    for (const name of listNames) {
      const list = await this.#source.readList(name);
      if (!list) this.#report.note(`the source has no list of ${listTitles[name]}`);
      this.#lists.set(name, list ?? []);
    }
  }

  /** From here on definitions that are written again, as a dry run does for each page, count no more. */
  endCounting(): void {
    this.#counts = false;
  }

  /** Writes all lists, and these actions. A faulty record does not keep the others from being written. */
  async write(space: Space, run: MoveRun, actions: readonly number[]): Promise<void> {
    this.#actions = new Map();
    await this.#findUsers(space);
    for (const form of this.#lists.get('forms')!) await this.#writeForm(space, run, form);
    for (const group of this.#lists.get('priceGroups')!) {
      const id = await this.#writeOne(space, run, ['price_group', 'price groups'], group, readPriceGroup(group));
      for (const price of id === null ? [] : readMembershipPrices(group, id))
        await this.#writeOne(space, run, ['membership_price', 'membership prices'], group, price);
    }
    for (const price of this.#lists.get('donationPrices')!)
      await this.#writeOne(space, run, ['donation_price', 'donation prices'], price, readPrice(price));
    const titles = ['transaction_status', 'transaction statuses'] as const;
    for (const status of this.#lists.get('transactionStatuses')!)
      await this.#writeOne(space, run, titles, status, readTransactionStatus(status));
    for (const team of this.#lists.get('teams')!) await this.#writeTeam(space, run, team);
    await this.writeActions(space, run, actions);
  }

  /** Writes the actions that contacts refer to. The contract lists none of them. */
  async writeActions(space: Space, run: MoveRun, ids: readonly number[]): Promise<void> {
    for (const action of ids.filter((id) => !this.#actions.has(id))) {
      const id = await this.#writeOne(space, run, ['action', 'actions'], { id: action }, readAction(action), true);
      if (id !== null) this.#actions.set(action, id);
    }
  }

  async #writeForm(space: Space, run: MoveRun, form: SourceRecord): Promise<void> {
    const sourceId = readId(form.id);
    const formId = await this.#writeOne(space, run, ['form', 'forms'], form, readForm(form));
    if (formId === null || sourceId === undefined) return;
    this.#forms.set(sourceId, formId);
    for (const option of readOptions(form, formId)) {
      const id = await this.#writeOne(space, run, ['option', 'options'], form, option);
      if (id !== null && 'sourceId' in option) this.#options.set(createCacheKey(formId, option.sourceId), id);
    }
  }

  /** The id of the record here, null when it has none. */
  async #writeOne(
    space: Space,
    run: MoveRun,
    [kind, title]: readonly [DefinitionKind, ReportKind],
    record: SourceRecord,
    read: ReadDefinition,
    alwaysCounts = false,
  ): Promise<number | null> {
    const counts = this.#counts || (alwaysCounts && !this.#counted.has(record.id));
    if (alwaysCounts) this.#counted.add(record.id);
    if ('faults' in read) {
      if (counts) this.#report.reject(title, record, read.faults);
      return null;
    }
    try {
      const { id, outcome } = await writeDefinition(space, run, kind, read);
      if (counts) this.#report.count(title, outcome);
      return id;
    } catch (error) {
      if (counts) this.#reject(title, record, error);
      else requireProblem(error);
      return null;
    }
  }
  /** Actions that were counted: a dry run writes them for each page. */
  readonly #counted = new Set<unknown>();

  async #findUsers(space: Space): Promise<void> {
    const mails = new Map<number, string>();
    for (const user of this.#lists.get('users')!) {
      const [id, mail] = [readId(user.id), readMail(user)];
      if (id !== undefined && mail !== undefined) mails.set(id, mail);
    }
    const members = await findMembersByMail(space, [...mails.values()]);
    this.#users = new Map([...mails].flatMap(([id, mail]) => (members.has(mail) ? [[id, members.get(mail)!]] : [])));
    if (!this.#counts) return;
    const strangers = [...mails.values()].filter((mail) => !members.has(mail));
    if (strangers.length > 0) this.#report.note(describeStrangers(strangers));
  }

  async #writeTeam(space: Space, run: MoveRun, team: SourceRecord): Promise<void> {
    const mails = [...getItems(team.users), ...getItems(team.leaders)].flatMap((user) => readMail(user) ?? []);
    const read = readTeam(team, await findMembersByMail(space, mails));
    if ('faults' in read) {
      if (this.#counts) this.#report.reject('teams', team, read.faults);
      return;
    }
    try {
      const outcome: Outcome = await writeMovedTeam(space, run, read);
      if (!this.#counts) return;
      this.#report.count('teams', outcome);
      if (read.missing.length > 0)
        this.#report.leaveOut('teams', team, [
          {
            location: 'users',
            message: 'are not members of this space: they are left out of the team',
            value: read.missing.join(', '),
          },
        ]);
    } catch (error) {
      if (this.#counts) this.#reject('teams', team, error);
      else requireProblem(error);
    }
  }

  #reject(kind: ReportKind, record: SourceRecord, error: unknown): void {
    const { errors, message } = requireProblem(error);
    this.#report.reject(kind, record, errors ?? [{ location: 'record', message }]);
  }
}

/** Throws what is no fault of a record. */
const requireProblem = (error: unknown): Problem => {
  if (error instanceof Problem && error.status < 500) return error;
  throw error;
};

/** Mails that are printed. */
const maxPrinted = 20;
const describeStrangers = (mails: readonly string[]): string => {
  const shown = mails.slice(0, maxPrinted).join(', ');
  const rest = mails.length > maxPrinted ? ` and ${mails.length - maxPrinted} more` : '';
  return `users of the source who are not members of this space, and so neither authors of notes nor in teams: ${shown}${rest}. Invite them with "muster member invite", and run this command again when they have joined`;
};
